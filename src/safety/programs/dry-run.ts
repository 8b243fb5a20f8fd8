import { hasRules } from '../rules/table.ts';
import type { Call } from './call.ts';
import { isDryReading, isIdle } from './record.ts';

/** Does this call ask only for help or the version, in a way the program really has? */
export function asksForHelp(call: Call): boolean {
  const { program, facts, reading } = call;
  if (reading) return isIdle(reading);
  const { options } = call;
  if (options.flags.size === 0) return false;
  if (options.flags.has('-help') && facts.singleDash) return true;
  if (!hasRules(program)) return false;
  if (call.args.length === 1 && /^(-V|--?version|--?help|-\?)$/.test(call.args[0]?.text ?? '')) return true;
  const at = call.args.findIndex((field) => field.text === '--help');
  const end = call.args.findIndex((field) => field.text === '--');
  return at >= 0 && (end < 0 || end > at);
}

/** Does this call only show what it would do? A dry run lifts the rules on what is deleted or written, nothing else. */
export function isDryRun(call: Call): boolean {
  const { facts, reading } = call;
  if (reading && (isDryReading(reading) || reading.level.knowsDryRuns)) return isDryReading(reading);
  const { dryRun } = facts;
  if (dryRun.size === 0) return false;
  const { options } = call;
  if (options.flags.size === 0) return false;
  const names = dryRun.get(options.operands[0]?.text ?? '') ?? dryRun.get('*') ?? [];
  return call.hasExactly(names) && !disabled(call, names);
}

/** `--dry-run=false`. */
function disabled(call: Call, names: readonly string[]): boolean {
  return names.some((name) => /^(false|no|none|0)$/.test(call.options.values.get(name)?.at(-1) ?? ''));
}
