/** Which presets one call may go to, and when the next one is worth asking (BR-4). */
import { isLocal, type Preset, secretsPolicy } from './preset.ts';
import type { Attempt } from './transport.ts';

/** Presets in order, each at most once; and those that may not be used. */
export type Route = { readonly next: readonly Preset[]; readonly barred: readonly string[] };

/** Failures before a word of an answer, and in the middle of one, after which another preset may do better. */
const BEFORE = new Set(['unreachable', 'loading', 'busy', 'server', 'timeout']);
const AMID = new Set(['cut', 'timeout', 'server', 'protocol']);

const STRICTNESS = { off: 0, scrub: 1, block: 2 } as const;

/**
 * A fallback elsewhere may not have a weaker policy: what one server does not get in clear the next does not get
 * either.
 * @param filtered messages are made fit for each preset; else one with a stricter policy may not be used
 */
export function fallbacksOf(first: Preset, presets: ReadonlyMap<string, Preset>, filtered: boolean): Route {
  const next: Preset[] = [];
  const barred: string[] = [];
  for (const name of first.fallback ?? []) {
    const preset = presets.get(name);
    if (!preset || preset === first || next.includes(preset)) continue;
    const stricter = STRICTNESS[secretsPolicy(preset)] - STRICTNESS[secretsPolicy(first)];
    if ((stricter > 0 && !filtered) || (stricter < 0 && !isLocal(preset))) barred.push(name);
    else next.push(preset);
  }
  return { next, barred };
}

/** Whether another preset may do better. */
export function mayFallBack({ fault, arrived, cancelled }: Attempt): boolean {
  if (!fault || cancelled || fault.final) return false;
  return (arrived ? AMID : BEFORE).has(fault.failure.kind);
}

/** Why a preset that could have helped was not asked. */
export function barredLine(from: Preset, barred: readonly string[]): string {
  return `${barred.join(', ')} was not used as a fallback: its policy for secrets is not that of ${from.name}`;
}
