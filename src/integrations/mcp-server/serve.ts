/**
 * `aish-tui mcp serve`: offers the gate, the kernel sandbox and trials to other agents, as an MCP server on standard
 * input and output. No tool changes anything: they judge, run without write access, or try and discard.
 */

import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { processFilter } from '../../app/secrets-filter.ts';
import { loadEffects } from '../../app/undo.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { prepareSandbox } from '../../cli/sandbox.ts';
import { asJson, tryCommand } from '../../cli/try.ts';
import { checkLine } from '../../safety/index.ts';
import { messageOf } from '../../text/errors.ts';
import { clean, plainText } from '../../text/sanitize.ts';

/** Serves until standard input ends. */
export async function serveMcp(config: string | undefined, version: string): Promise<number> {
  const tools = new Map(servedTools(config).map((tool) => [tool.name, tool]));
  const server = new Server({ name: 'aish-tui', version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map(({ name, title, description, inputSchema }) => ({
      name,
      title,
      description,
      inputSchema,
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.get(params.name);
    if (!tool) return answer({ error: `there is no tool ${params.name}` }, true);
    try {
      const told = await tool.run(params.arguments ?? {}, signal);
      return typeof told === 'string' ? answer({ error: told }, true) : answer(told, false);
    } catch (error) {
      return answer({ error: messageOf(error) }, true);
    }
  });
  const ended = Promise.withResolvers<void>();
  process.stdin.once('end', () => ended.resolve());
  server.onclose = () => ended.resolve();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => ended.resolve());
  await server.connect(new StdioServerTransport());
  await ended.promise;
  // This also aborts its requests and ends their commands.
  await server.close();
  await Promise.all([...tools.values()].map((tool) => tool.settled()));
  return EXIT.ok;
}

function answer(told: Readonly<Record<string, unknown>>, isError: boolean) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(told, null, 2) }], isError };
}

// The tools of `aish-tui mcp serve`, each with its schema and implementation. `Facts` are JSON objects: arguments or
// answers.

type Facts = Readonly<Record<string, unknown>>;

type Served = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
  /** Returns the answer, or a sentence why there is none. Rejects only on an internal error. */
  run(given: Facts, signal: AbortSignal): Promise<Facts | string>;
  /** Resolves when nothing it started runs any more. */
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

/** @param config the file from `--config` */
function servedTools(config: string | undefined): readonly Served[] {
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

/** Wraps `run`: invalid arguments return the reason as a sentence, and nothing runs. */
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

// Runs commands and captures their output: limited, without secrets, ended with all their processes.

/** Extra time for a launcher with its own time limit, in ms. */
const GRACE_MS = 1000;
/** How many bytes are kept of an output's start and end. */
const MAX_PART_BYTES = 64 * 1024;

type Start = {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The time limit, if the launcher has not enforced its own by then. */
  readonly seconds: number;
};

type Captured = {
  /** The exit code; 128+n for signal n. */
  readonly exit: number;
  /** The output for the client. */
  readonly output: string;
  /** Unfiltered, for internal use. */
  readonly raw: string;
};

class Captures {
  readonly #hide: (text: string) => string;
  readonly #running = new Set<Promise<unknown>>();

  /** @param hide removes secrets from a text */
  constructor(hide: (text: string) => string) {
    this.#hide = hide;
  }

  /**
   * Runs a launcher's argument vector to its end, without input and with both outputs merged. `signal` and the time
   * limit end the launcher, which ends its children. Rejects if it can't start.
   */
  run(start: Start, signal: AbortSignal): Promise<Captured> {
    const running = this.#run(start, signal);
    const kept = running.catch(() => {});
    this.#running.add(kept);
    void kept.then(() => this.#running.delete(kept));
    return running;
  }

  /** Resolves when none runs any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #run({ argv, env, cwd, seconds }: Start, signal: AbortSignal): Promise<Captured> {
    const [file = '', ...rest] = argv;
    const kept = new Ends();
    return new Promise((resolve, reject) => {
      const child = spawn(file, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const end = () => void child.kill('SIGTERM');
      const timer = setTimeout(end, seconds * 1000 + GRACE_MS);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      child.stdout.on('data', (data: Buffer) => kept.add(data));
      child.stderr.on('data', (data: Buffer) => kept.add(data));
      child.once('error', reject);
      child.once('close', (code, killedBy) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        const raw = kept.text();
        resolve({ exit: code ?? (killedBy === null ? 1 : 128 + 15), output: this.#hide(plainText(clean(raw))), raw });
      });
    });
  }
}

/** Keeps the start and the end of an output in bounded memory. */
class Ends {
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail = Buffer.alloc(0);
  #bytes = 0;

  add(data: Buffer): void {
    this.#bytes += data.length;
    const room = MAX_PART_BYTES - this.#headBytes;
    const first = data.subarray(0, Math.max(room, 0));
    if (first.length > 0) this.#head.push(first);
    this.#headBytes += first.length;
    const rest = data.subarray(first.length);
    if (rest.length > 0) this.#tail = Buffer.concat([this.#tail, rest]).subarray(-MAX_PART_BYTES);
  }

  text(): string {
    const omitted = this.#bytes - this.#headBytes - this.#tail.length;
    const gap = omitted > 0 ? `\n… ${omitted} bytes left out …\n` : '';
    return Buffer.concat(this.#head).toString('utf8') + gap + this.#tail.toString('utf8');
  }
}
