/** The options by which `aish-tui run` works on other machines. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FleetCarrier } from '../contracts/fleet.ts';

export type FleetOptions = {
  /** As written; absent with `resume`. */
  readonly hosts?: string;
  /** Go on with the fleet of this session. */
  readonly resume?: string;
  readonly atOnce?: number;
  readonly canary?: string;
  readonly inventory?: string;
  readonly deadlineSeconds?: number;
  readonly via?: FleetCarrier;
};

type Given = Omit<FleetOptions, 'deadlineSeconds'> & { readonly deadline?: number };

/** The options of `run` by which it becomes a fleet. */
export function addFleetOptions(run: Command, seconds: (text: string) => number): Command {
  return run
    .option('--hosts <list>', 'on these machines, each in a conversation of its own: web1,web2,@group,docker:name')
    .option('--at-once <n>', 'with --hosts: how many are at work at the same time (20)', atOnceOf)
    .option('--canary <host>', 'with --hosts: this one goes first; its failure stops the rest')
    .option('--deadline <time>', 'with --hosts: what one host may take (10m)', seconds)
    .option('--inventory <file>', 'with --hosts: the Ansible inventory that knows the groups')
    .addOption(
      new Option('--via <what>', 'with --hosts: equal commands go to many hosts in one call of this').choices([
        'ansible',
      ]),
    )
    .option('--resume <session>', 'go on with the fleet of this session, as it was told at its start');
}

/** Undefined for a run on this machine. A mistake is one line. */
export function fleetOf(
  given: Given,
  words: readonly string[],
): FleetOptions | undefined | { readonly problem: string } {
  const { hosts, resume, deadline: deadlineSeconds, atOnce, canary, inventory, via } = given;
  if (resume !== undefined && (hosts !== undefined || words.length > 0))
    return { problem: '--resume goes on with what was begun: it takes no goal and no --hosts' };
  if (hosts === undefined && resume === undefined) {
    const extra = Object.entries({
      '--at-once': atOnce,
      '--canary': canary,
      '--deadline': deadlineSeconds,
      '--inventory': inventory,
      '--via': via,
    });
    const [name] = extra.find(([, value]) => value !== undefined) ?? [];
    return name === undefined ? undefined : { problem: `${name} needs --hosts` };
  }
  const all = { hosts, resume, atOnce, canary, inventory, deadlineSeconds, via };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function atOnceOf(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number from 1 to 999');
}
