/**
 * How often the gate would interrupt recorded agent work: `npm run bench -- replay RUNS.jsonl`, with lines `{"run",
 * "commands": []}`. Each run is judged in order in an empty directory in place of /app, with another for /tmp. Files
 * named after `>` are created in it, with the text of a here-document, and so is the start file of a Python
 * environment. No part of a command is run.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { checkLine } from '../../src/safety/index.ts';
import { rowsIn } from './jsonl.ts';

type Run = { readonly commands: readonly string[] };
type Answer = {
  readonly verdict: string;
  readonly rule: string | null;
  readonly reason: string;
  readonly recoverable?: boolean;
};

const HERE_DOC =
  /cat\s+(?:>\s*(\S+)\s+<<-?\s*['"]?(\w+)['"]?|<<-?\s*['"]?(\w+)['"]?\s*>\s*(\S+))[^\n]*\n([\s\S]*?)\n\2\3(?=\n|$)/g;
/** The directory in which a command works, if it begins with `cd`. */
const BEGINS = /^\s*cd\s+([A-Za-z0-9_./-]+)\s*&&/;
const VENV = /python3?\s+-m\s+venv\s+([A-Za-z0-9_./-]+)/g;
const ACTIVATE = 'VIRTUAL_ENV=.\nexport VIRTUAL_ENV\nPATH="$VIRTUAL_ENV/bin:$PATH"\nexport PATH\nhash -r\n';
const TARGET = /(?:^|[^0-9&>])>\s*([A-Za-z0-9_./-]+)/g;

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('say which runs: npm run bench -- replay RUNS.jsonl');
  process.exit(2);
}
const runs = rowsIn<Run>(file);
const base = mkdtempSync(join(tmpdir(), 'replay-'));
const counts = new Map<string, number>();
const inProject = new Map<string, number>();
const reasons = new Map<string, number>();
let commands = 0;
let interrupted = 0;
for (const [number, run] of runs.entries()) {
  const cwd = join(base, String(number));
  const made = new Set<string>();
  mkdirSync(cwd);
  let halted = false;
  for (const written of run.commands) {
    const cmd = written
      .replaceAll(/(?<![\w.])\/tmp(?=\/)/g, `${cwd}-tmp`)
      .replaceAll('/app/', `${cwd}/`)
      .replaceAll('/app', cwd);
    const judged = async (mode?: 'project'): Promise<Answer> =>
      JSON.parse(await checkLine(JSON.stringify({ cmd, cwd, made: [...made], mode }), { namespaces: true }));
    const answer = await judged();
    commands++;
    counts.set(answer.verdict, (counts.get(answer.verdict) ?? 0) + 1);
    const kept = await judged('project');
    if (!kept.recoverable) inProject.set(kept.verdict, (inProject.get(kept.verdict) ?? 0) + 1);
    if (answer.verdict !== 'safe') {
      const why = answer.rule ?? `? ${answer.reason.slice(0, 50)}`;
      reasons.set(why, (reasons.get(why) ?? 0) + 1);
    }
    halted ||= answer.verdict === 'destructive';
    makeTargets(cmd, cwd, made);
  }
  if (halted) interrupted++;
  for (const place of [cwd, `${cwd}-tmp`]) rmSync(place, { recursive: true, force: true });
}
rmSync(base, { recursive: true });

const share = (verdict: string, of = counts) =>
  `${((100 * (of.get(verdict) ?? 0)) / commands).toFixed(1)} % (${of.get(verdict) ?? 0})`;
console.log(`${runs.length} runs, ${commands} commands`);
for (const [mode, of] of [['Unrestricted', counts] as const, ['Project', inProject] as const])
  console.log(`${mode}: interruptions ${share('destructive', of)}, second opinions ${share('unknown', of)}`);
console.log(`runs interrupted in Unrestricted: ${Math.round((100 * interrupted) / runs.length)} % (${interrupted})`);
for (const [why, count] of [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 25))
  console.log(`${String(count).padStart(5)}  ${why}`);

/** Creates the files that a command would have written, so that later commands find them. */
function makeTargets(cmd: string, cwd: string, made: Set<string>): void {
  const from = resolve(cwd, BEGINS.exec(cmd)?.[1] ?? '');
  const files = [...cmd.matchAll(TARGET)].map(([, name = '']) => [resolve(from, name), 'x\n'] as const);
  const texts = [...cmd.matchAll(HERE_DOC)].map(
    ([, a, , , b, text]) => [resolve(from, a ?? b ?? ''), `${text}\n`] as const,
  );
  const starts = [...cmd.matchAll(VENV)].map(
    ([, name = '']) => [resolve(from, name, 'bin/activate'), ACTIVATE] as const,
  );
  for (const [path, text] of new Map([...files, ...texts, ...starts])) {
    if (!path.startsWith(`${base}/`) || statSync(path, { throwIfNoEntry: false })?.isDirectory()) continue;
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      made.add(path);
    } catch {
      // A file is in place of a directory: the command would have failed too.
    }
  }
}
