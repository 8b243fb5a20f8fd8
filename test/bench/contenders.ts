/**
 * The programs that `npm run bench` compares: aish-tui, an earlier build of it, pi if npx has it, and minimal programs
 * as lower bounds.
 */
import { execFileSync, type StdioOptions } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAM, type Scratch, scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';

export const SIZE = { columns: 120, rows: 40 };

/** A full-screen agent that has a prompt, asks a model and runs its commands. */
export type Agent = {
  readonly name: string;
  readonly file: string;
  /** A text that the screen shows once the prompt takes keys. */
  readonly ready: string;
  /** Makes a home directory in which the agent knows the model at `baseUrl`. */
  place(baseUrl: string): Scratch;
  readonly args: readonly string[];
  /** Returns what is typed for a question, for a goal of many steps, and for a line of the shell. */
  readonly asked: (text: string) => string;
  readonly goal: (text: string) => string;
  readonly shell: (line: string) => string;
  /** The arguments for a goal without a screen. */
  readonly headless: (text: string) => readonly string[];
  /** Whether the program can start with a session of a given number of lines. */
  readonly resumes: boolean;
};

const CONFIG = { mode: 'unrestricted', safety: { llm_second_opinion: false }, norris: { max_norris_steps: 500 } };

function aishTui(name: string, file: string): Agent {
  return {
    name,
    file,
    ready: '[aish:fast]>',
    place: (baseUrl) => scratch(baseUrl, CONFIG),
    args: [],
    asked: (text) => `?${text}\r`,
    goal: (text) => `:norris ${text}\r`,
    shell: (line) => `${line}\r`,
    headless: (text) => ['run', text],
    resumes: true,
  };
}

const PI_MODEL = ['--offline', '--provider', 'bench', '--model', 'scripted'];

function pi(file: string): Agent {
  return {
    name: 'pi',
    file,
    ready: 'scripted',
    place(baseUrl) {
      const place = scratch();
      const folder = join(place.home, '.pi/agent');
      mkdirSync(folder, { recursive: true });
      const bench = { baseUrl, api: 'openai-completions', apiKey: 'none', models: [{ id: 'scripted' }] };
      writeFileSync(join(folder, 'models.json'), JSON.stringify({ providers: { bench } }));
      return place;
    },
    args: PI_MODEL,
    asked: (text) => `${text}\r`,
    goal: (text) => `${text}\r`,
    shell: (line) => `!${line}\r`,
    headless: (text) => [...PI_MODEL, '-p', text],
    resumes: false,
  };
}

/** The release with which the goals are compared. */
export const PI = '@earendil-works/pi-coding-agent@1.6.0';

/** Returns where npx stores it, fetching it once; undefined where it is unavailable. */
function findPi(): string | undefined {
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return execFileSync('npx', ['--yes', '--package', PI, '-c', 'command -v pi'], { encoding: 'utf8', stdio }).trim();
  } catch {
    return undefined;
  }
}

const [before, installed] = [process.env.BENCH_BEFORE, findPi()];

export const hasPi = installed !== undefined;
export const hasBefore = before !== undefined;

export const AGENTS: readonly Agent[] = [
  aishTui('aish-tui', PROGRAM),
  ...(before === undefined ? [] : [aishTui('before', before)]),
  ...(installed === undefined ? [] : [pi(installed)]),
];

/** Opens the agent’s full screen in its scratch place. */
export function openAgent(agent: Agent, place: Scratch, more: readonly string[] = [], size = SIZE): Rig {
  return startRig(place, { ...size, file: agent.file, args: [...agent.args, ...more] });
}

const SMALLEST_INK = fileURLToPath(new URL('smallest-ink.mjs', import.meta.url));
const ECHO =
  "process.stdin.setRawMode(true); process.stdin.on('data', (d) => process.stdout.write(d.toString().replaceAll('\\x7f', '\\b \\b'))); process.stdout.write('ready> ')";

/** Lower bounds with a prompt: a program that only echoes, and the smallest Ink program below this many lines. */
export const FLOORS = {
  echo: (place: Scratch) => startRig(place, { ...SIZE, file: process.execPath, args: ['-e', ECHO] }),
  'smallest Ink': (place: Scratch, lines = 0) =>
    startRig(place, { ...SIZE, file: process.execPath, args: [SMALLEST_INK, String(lines)] }),
} as const;

/** Returns the processor time so far of a process, in ms. Linux only, like everything that reads /proc here. */
export function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function statusOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
}

/** Returns the resident memory of a process and its descendants, in MB. */
export function memoryOfTree(root: number): number {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const parent = Number(readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // The process has already ended.
    }
  }
  const sum = (pid: number): number =>
    statusOf(pid, 'VmRSS') + (children.get(pid) ?? []).reduce((all, child) => all + sum(child), 0);
  return sum(root);
}

/** Resets the peak of a process's memory; calling the result returns the peak, in MB. */
export function watchPeak(pid: number): () => number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return () => statusOf(pid, 'VmHWM');
}
