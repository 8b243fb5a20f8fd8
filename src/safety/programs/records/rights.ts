import { isCredential } from '../../credential-files.ts';
import { hasUnknown } from '../../shell/taint.ts';
import { destructive, type StaticVerdict, unknown } from '../../verdict.ts';
import { specialTarget } from '../paths.ts';
import { type CallFacts, given, type Reading } from '../record.ts';

/** `644`, `0755`: others may read and run, never write; no rights of another user; the owner keeps reading. */
const PLAIN_NUMBER = /^0?[4-7][0145][0145]$/;
/** `u+x`, `go-w`, `a+rX`: the owner may get anything, all others reading and running; taking away from others. */
const PLAIN_LETTERS = /^(u[+=][rwxX]+|(?:[ugoa]*)\+[rxX]+|[go]+-[rwxX]+|[go]+=[rxX]*|[ugoa]*-[xXwst]+)$/;
/** Rights that leave nothing for anybody but the owner. */
const NARROW = /^(0?[4-7]00|[go]+(=|-[rwx]+))$/;

/** `chmod`: rights for others are a grant, and making a file executable arms it where something looks for it. */
export function judgeMode({ machine, args }: CallFacts, reading: Reading): StaticVerdict | undefined {
  // `-w` and the like are a mode, though they look like an option.
  const mode = reading.operands[0]?.text ?? '';
  const targets = reading.operands.slice(1);
  if (hasUnknown(mode) || args.length < 2 || given(reading, '--reference'))
    return unknown('sets rights that are not known');
  const parts = mode.split(',');
  if (parts.every((part) => NARROW.test(part))) return undefined;
  if (targets.some(({ text }) => isCredential(text)))
    return destructive('grant rights', 'lets others read a key, token or password');
  if (!parts.every((part) => PLAIN_NUMBER.test(part) || PLAIN_LETTERS.test(part)))
    return unknown('gives rights to others, or takes the own ones away');
  return targets.some(({ text }) => specialTarget(machine, text))
    ? unknown('changes rights where the shell or a tool looks')
    : undefined;
}

/** `install -m`: the rights that the copy gets. */
export function judgeInstallMode(_: CallFacts, { given: options }: Reading): StaticVerdict | undefined {
  const odd = options.some(
    ({ name, value = '' }) =>
      /^(-m|--mode)$/.test(name) &&
      !value.split(',').every((part) => PLAIN_NUMBER.test(part) || PLAIN_LETTERS.test(part)),
  );
  return odd ? unknown('gives rights to others') : undefined;
}
