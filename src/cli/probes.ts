/**
 * The probes (CL-2): one argument, or with --jsonl a line in and a line out, in order. Nothing runs, no model is
 * called.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { processFilter } from '../app/secrets-filter.ts';
import { dangerLines } from '../commands/safety.ts';
import { loadConfig } from '../config/index.ts';
import { classify, createPathIndex, knownWords, routeLine } from '../router/index.ts';
import { checkLine, judgeCommand, realFiles, recoveryOf } from '../safety/index.ts';
import { checkSecretsLine } from '../secrets/index.ts';
import { plainReason } from '../session/action.ts';
import { visible } from '../text/sanitize.ts';
import { EXIT } from './exit-codes.ts';
import type { Writer } from './print.ts';
import type { Invocation } from './program.ts';

/** Runs `aish-tui safety check`. Exit 0: a verdict was given; 2: there was nothing to judge. */
export async function safetyCheck(
  { global, command, jsonl, strict }: Extract<Invocation, { kind: 'safetyCheck' }>,
  out: Writer,
  err: Writer,
): Promise<number> {
  const loaded = await loadConfig(global.config, process.env);
  if (!loaded.ok) err(`aish-tui: ${visible(loaded.message)}\n`);
  const { safety } = (loaded.ok ? loaded : loaded.rest).config;
  const rules = { userPatterns: safety.destructive_patterns, disabledRules: safety.disable_rules };
  if (jsonl) {
    const [{ detectSandbox }, { LAUNCHER }] = await Promise.all([
      import('../effects/sandbox/index.ts'),
      import('../app/environment.ts'),
    ]);
    const { available, projectMissing } = await detectSandbox({ launcher: LAUNCHER });
    const namespaces = available && projectMissing === undefined;
    const options = { strict, namespaces, rules, alwaysDestructive: safety.always_destructive_tools };
    return eachLine(async (line) => out(`${await checkLine(line, options)}\n`));
  }
  if (command === '')
    return usage(err, 'no command given: aish-tui safety check "<command>", or --jsonl with lines on stdin');
  const cwd = process.cwd();
  const judged = judgeCommand(command, { cwd, files: realFiles(), ...rules });
  const { verdict, rule } = judged;
  const word = verdict === 'unknown' && strict ? 'destructive' : verdict;
  out(`${word}: ${plainReason(judged)}${rule === undefined ? '' : ` (rule: ${rule})`}\n`);
  const { findings } = await recoveryOf(command, judged, { cwd });
  for (const line of dangerLines(command, findings)) out(`${line}\n`);
  return EXIT.ok;
}

/** Runs `aish-tui route`. */
export async function route(
  { line, jsonl, known }: Extract<Invocation, { kind: 'route' }>,
  out: Writer,
  err: Writer,
): Promise<number> {
  const words = knownWords(await sourceOf(known));
  if (jsonl) return eachLine((row) => out(`${routeLine(row, words)}\n`));
  if (line === '') return usage(err, 'no line given: aish-tui route "<line>", or --jsonl with lines on stdin');
  out(`${classify(line, words).kind}\n`);
  return EXIT.ok;
}

/**
 * Returns the source of program names: a given list replaces this machine’s programs, so that the answer does not
 * depend on the machine.
 */
async function sourceOf(known: string | undefined): Promise<{ has(word: string): boolean }> {
  if (known !== undefined) return new Set(readFileSync(known, 'utf8').split(/\s+/));
  const index = createPathIndex(process.env.PATH ?? '');
  await index.refresh();
  return index;
}

/** Runs `aish-tui secrets check`: shows what the filter would hide, with all secrets known on this machine. */
export async function secretsCheck(
  { text, jsonl }: Extract<Invocation, { kind: 'secretsCheck' }>,
  out: Writer,
  err: Writer,
): Promise<number> {
  const filter = processFilter();
  if (jsonl) return eachLine((line) => out(`${checkSecretsLine(line, filter)}\n`));
  if (text === '') return usage(err, 'no text given: aish-tui secrets check "<text>", or --jsonl with lines on stdin');
  const findings = filter.find(text);
  for (const { start, end, kind } of findings) out(`${kind} at ${start}-${end}\n`);
  out(findings.length === 0 ? 'no secrets found\n' : `${filter.hide(text)}\n`);
  return EXIT.ok;
}

function usage(err: Writer, text: string): number {
  err(`aish-tui: ${text}\n`);
  return EXIT.usage;
}

async function eachLine(take: (line: string) => unknown): Promise<number> {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }))
    await take(line);
  return EXIT.ok;
}
