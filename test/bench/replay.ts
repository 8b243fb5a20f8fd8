/**
 * How often the gate would interrupt recorded agent work: `npm run bench -- replay RUNS.jsonl`, a line being
 * `{"run", "commands": []}`. Each run is judged in order in an empty directory that stands for /app; files named behind
 * `>` are made there, with the text of a here-document. Nothing of a command is run.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { checkLine } from '../../src/safety/index.ts';
import { rowsIn } from './jsonl.ts';

type Run = { readonly commands: readonly string[] };
type Answer = { readonly verdict: string; readonly rule: string | null; readonly reason: string };

const HERE_DOC =
  /cat\s+(?:>\s*(\S+)\s+<<-?\s*['"]?(\w+)['"]?|<<-?\s*['"]?(\w+)['"]?\s*>\s*(\S+))[^\n]*\n([\s\S]*?)\n(?:\2|\3)(?=\n|$)/g;
const TARGET = /(?:^|[^0-9&>])>\s*([A-Za-z0-9_./-]+)/g;

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('say which runs: npm run bench -- replay RUNS.jsonl');
  process.exit(2);
}
const runs = rowsIn<Run>(file);
const base = mkdtempSync(join(tmpdir(), 'replay-'));
const counts = new Map<string, number>();
const reasons = new Map<string, number>();
let commands = 0;
let interrupted = 0;
for (const [number, run] of runs.entries()) {
  const cwd = join(base, String(number));
  const made = new Set<string>();
  mkdirSync(cwd);
  let halted = false;
  for (const written of run.commands) {
    const cmd = written.replaceAll('/app/', `${cwd}/`).replaceAll('/app', cwd);
    const answer = JSON.parse(await checkLine(JSON.stringify({ cmd, cwd, made: [...made] }))) as Answer;
    commands++;
    counts.set(answer.verdict, (counts.get(answer.verdict) ?? 0) + 1);
    if (answer.verdict !== 'safe') {
      const why = answer.rule ?? `? ${answer.reason.slice(0, 50)}`;
      reasons.set(why, (reasons.get(why) ?? 0) + 1);
    }
    halted ||= answer.verdict === 'destructive';
    makeTargets(cmd, cwd, made);
  }
  if (halted) interrupted++;
  rmSync(cwd, { recursive: true });
}
rmSync(base, { recursive: true });

const share = (verdict: string) =>
  `${((100 * (counts.get(verdict) ?? 0)) / commands).toFixed(1)} % (${counts.get(verdict) ?? 0})`;
console.log(
  `${runs.length} runs, ${commands} commands: interruptions ${share('destructive')}, second opinions ${share('unknown')}`,
);
console.log(`runs interrupted: ${Math.round((100 * interrupted) / runs.length)} % (${interrupted})`);
for (const [why, count] of [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 25))
  console.log(`${String(count).padStart(5)}  ${why}`);

/** Makes what a command would have written, so that it is there later. */
function makeTargets(cmd: string, cwd: string, made: Set<string>): void {
  const texts = new Map(
    [...cmd.matchAll(HERE_DOC)].map(([, a, , , b, text]) => [normalize(join(cwd, a ?? b ?? '')), `${text}\n`]),
  );
  for (const [, name = ''] of cmd.matchAll(TARGET)) {
    const path = normalize(name.startsWith('/') ? name : join(cwd, name));
    if (!path.startsWith(`${cwd}/`) || statSync(path, { throwIfNoEntry: false })?.isDirectory()) continue;
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, texts.get(path) ?? 'x\n');
      made.add(path);
    } catch {
      // A file stands where a directory would have to be: the command would have failed too.
    }
  }
}
