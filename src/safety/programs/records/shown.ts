import type { Spec } from '../record.ts';

/** Options that nearly every tool of this kind has, and that only choose what is shown. */
export const SHOWN =
  '-a -q -v --all --json --quiet --verbose --no-color --limit= --format= --app= --org= --team= --region= --project= --namespace= --context= --scope= --env= --environment= --no-truncate --raw --tail --num= --page= --filter=  --lines= --stack= --show-urns ';

/** A program of a few subcommands that only show something, some of them in groups. */
export const grouped = (groups: string, subs: string, direct: string, more: Partial<Spec> = {}): Spec => ({
  global: true,
  tune: SHOWN,
  subs: { [groups]: { subs: { [subs]: { operands: 'tune' } } }, [direct]: { operands: 'tune' } },
  ...more,
});
