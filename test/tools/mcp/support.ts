/** MCP servers for tests: real ones from packages, and the misbehaving one of this folder. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asCompanion, saveOutput } from '../../../src/executor/index.ts';
import type { Form, FormAnswer } from '../../../src/session/form.ts';
import { McpServers } from '../../../src/tools/mcp/mcp.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A server from a package, started with the Node that runs the tests. */
export function real(name: 'everything' | 'filesystem' | 'memory', ...args: string[]) {
  return { command: process.execPath, args: [at(`../../../node_modules/.bin/mcp-server-${name}`), ...args] };
}

/** The misbehaving server; `fixtures/server.ts` describes its flags. */
export function fault(...flags: string[]) {
  return { command: process.execPath, args: [at('fixtures/server.ts'), ...flags] };
}

type Servers = ConstructorParameters<typeof McpServers>[0]['servers'];

export type Desk = {
  readonly mcp: McpServers;
  /** The path of a scratch directory. */
  readonly dir: string;
  /** The messages shown to the user. */
  readonly said: string[];
  readonly asked: Form[];
  readonly progress: string[];
  root: string;
  call(name: string, args?: object, signal?: AbortSignal): ReturnType<McpServers['run']>;
  until(holds: () => boolean): Promise<void>;
  /** Process ids that the test servers recorded. */
  pids(): readonly number[];
  log(): string;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function startMcp(
  servers: (dir: string) => Servers,
  change: Partial<ConstructorParameters<typeof McpServers>[0]> & { answer?: FormAnswer; wait?: false } = {},
): Promise<Desk> {
  const dir = mkdtempSync(join(tmpdir(), 'aish-mcp-'));
  const log = join(dir, 'fault.log');
  const said: string[] = [];
  const asked: Form[] = [];
  const progress: string[] = [];
  const mcp = new McpServers({
    servers: servers(dir),
    version: '0',
    readOnly: ['*__look'],
    launch: asCompanion,
    env: { PATH: process.env.PATH ?? '', FAULT_LOG: log },
    cwd: dir,
    root: () => desk.root,
    say: (_level, text) => said.push(text),
    elicit: (request) => {
      asked.push(request);
      return Promise.resolve(change.answer ?? { action: 'decline' });
    },
    loginFolder: join(dir, 'logins'),
    secret: (variable) => process.env[variable],
    learn: () => {},
    keep: (text) => saveOutput(join(dir, 'output'), text),
    restartDelayMs: 10,
    ...change,
  });
  const read = () => {
    try {
      return readFileSync(log, 'utf8');
    } catch {
      return '';
    }
  };
  const desk: Desk = {
    mcp,
    dir,
    said,
    asked,
    progress,
    root: dir,
    call: (name, args = {}, signal = new AbortController().signal) =>
      mcp.run(name, { ...args }, { cwd: dir, signal, onProgress: (line) => progress.push(line) }),
    async until(holds) {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    pids: () => [...read().matchAll(/^pid (\d+)$/gm)].map((match) => Number(match[1])),
    log: read,
    async [Symbol.asyncDispose]() {
      await mcp.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  const started = mcp.start();
  if (change.wait !== false) await started;
  return desk;
}

/** Returns whether a process exists; a zombie counts as gone. */
export function alive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
