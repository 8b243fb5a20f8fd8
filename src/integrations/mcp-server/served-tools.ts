/** What `aish-tui mcp serve` offers: each tool with its schema and what it does. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { processFilter } from '../../app/secrets-filter.ts';
import { loadEffects } from '../../app/undo.ts';
import { prepareSandbox } from '../../cli/sandbox.ts';
import { asJson, tryCommand } from '../../cli/try.ts';
import { checkLine } from '../../safety/index.ts';
import { Captures } from './capture.ts';

type Facts = Readonly<Record<string, unknown>>;

export type Served = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
  /** The answer, or a sentence that says why there is none. Rejects only on a fault of ours. */
  run(given: Facts, signal: AbortSignal): Promise<Facts | string>;
  /** Resolves when nothing that it started runs any more. */
  settled(): Promise<void>;
};

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 600;

const COMMAND = { type: 'string', description: 'one command line, as bash would be given it' };
const CWD = {
  type: 'string',
  description: 'absolute path of the directory it would run in; default: the server’s own',
};
const SECONDS = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_SECONDS,
  description: `killed after so many seconds, with all it started; default ${DEFAULT_SECONDS}`,
};

/** @param config the file that `--config` names */
export function servedTools(config: string | undefined): readonly Served[] {
  const captures = new Captures((text) => processFilter().hide(text));
  const settled = () => captures.settled();
  const tools: readonly Served[] = [
    {
      name: 'safety_check',
      title: 'Judge a command',
      description:
        'Judges a shell command without running it. `safe`: it is proven to change and send nothing that matters; `destructive`: it must not run before a person has seen the findings; `unknown`: neither is proven. Each finding names the part of the command and what it does.',
      inputSchema: schema({
        command: COMMAND,
        cwd: CWD,
        made: {
          type: 'array',
          items: { type: 'string' },
          description: 'absolute paths of files that you made and that nobody has changed since',
        },
      }),
      settled,
      async run({ command, cwd, made }) {
        const line = { cmd: command, cwd: cwd ?? process.cwd(), ...(made === undefined ? {} : { made }) };
        return JSON.parse(await checkLine(JSON.stringify(line))) as Facts;
      },
    },
    {
      name: 'run_sandboxed',
      title: 'Run a command that can change nothing',
      description:
        'Runs a command in the kernel sandbox: it can read, and write nowhere but in a private temporary directory that is removed afterwards; no network, no signals to other processes. Gives exit code and output.',
      inputSchema: schema({ command: COMMAND, cwd: CWD, seconds: SECONDS }),
      settled,
      async run({ command, cwd = process.cwd(), seconds }, signal) {
        const wallSeconds = secondsOf(seconds);
        const sandboxed = await prepareSandbox({
          argv: ['bash', '-c', String(command)],
          mode: 'restricted',
          cwd: String(cwd),
          wallSeconds,
        });
        if (typeof sandboxed === 'string') return sandboxed;
        try {
          const { exit, output } = await captures.run({ ...sandboxed, cwd: String(cwd), seconds: wallSeconds }, signal);
          return { exit, output };
        } finally {
          sandboxed.dispose();
        }
      },
    },
    {
      name: 'try',
      title: 'See what a command would change',
      description:
        'Runs a command in a copy-on-write view of its project, without network, and lists what it would delete, change and create. Nothing of it stays. `doubts` and `cannotTell` name what the trial could not show.',
      inputSchema: schema({ command: COMMAND, cwd: CWD, seconds: SECONDS }),
      settled,
      async run({ command, cwd = process.cwd(), seconds }, signal) {
        const effects = await loadEffects(config);
        if (typeof effects === 'string') return effects;
        let output = '';
        const tried = await tryCommand(
          effects.trials,
          ['bash', '-c', String(command)],
          String(cwd),
          async (prepared) => {
            const captured = await captures.run({ ...prepared, cwd: String(cwd), seconds: secondsOf(seconds) }, signal);
            output = captured.output;
            return captured.raw;
          },
        );
        return typeof tried === 'string' ? tried : { ...asJson(tried.outcome), output };
      },
    },
  ];
  return tools.map((tool) => ({ ...tool, run: checked(tool.run) }));
}

function schema(properties: Facts): Served['inputSchema'] {
  return { type: 'object', properties, required: ['command'], additionalProperties: false };
}

function secondsOf(given: unknown): number {
  return typeof given === 'number' ? given : DEFAULT_SECONDS;
}

/** What is wrong with the arguments is a sentence, and nothing runs. */
function checked(run: Served['run']): Served['run'] {
  return async (given, signal) => mistakeIn(given) ?? run(given, signal);
}

function mistakeIn({ command, cwd, seconds, made }: Facts): string | undefined {
  if (typeof command !== 'string' || command.trim() === '') return '`command` must be a command line';
  if (command.includes('\0')) return '`command` must not hold a NUL';
  if (cwd !== undefined && (typeof cwd !== 'string' || resolve(cwd) !== cwd || !isDirectory(cwd)))
    return '`cwd` must be the absolute path of a directory';
  if (seconds !== undefined && !(Number.isInteger(seconds) && Number(seconds) >= 1 && Number(seconds) <= MAX_SECONDS))
    return `\`seconds\` must be a whole number from 1 to ${MAX_SECONDS}`;
  if (made !== undefined && !(Array.isArray(made) && made.every((path) => typeof path === 'string')))
    return '`made` must be a list of paths';
  return undefined;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
