import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const SCRIPT = resolve(import.meta.dirname, '../../../shared/tools/llama-server.sh');
const run = promisify(execFile);

/** Returns why no real llama.cpp server can run here; undefined when one can. */
export function llamaMissing(): string | undefined {
  if (!existsSync(SCRIPT)) return `no ${SCRIPT}`;
  const root = process.env.LLAMA_ROOT ?? join(homedir(), '.cache/aish-llama');
  if (existsSync(join(root, 'sys/usr/bin/llama-server'))) return undefined;
  try {
    execFileSync(SCRIPT, ['setup'], { stdio: 'pipe', timeout: 60_000 });
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n').at(-1) ?? error.message) : String(error);
  }
}

export type Llama = { readonly baseUrl: string; readonly port: number; [Symbol.asyncDispose](): Promise<void> };

/** Starts a real server with the tiny model. `wait: false` returns while it is still loading. */
export async function startLlama(args: readonly string[] = [], options: { wait?: boolean } = {}): Promise<Llama> {
  const port = await freePort();
  // The server left behind must not keep the script's stdio open.
  const env = { ...process.env, ...(options.wait === false && { NOWAIT: '1' }) };
  await run(SCRIPT, ['start', String(port), ...args], { env });
  const stop = async (): Promise<void> => void (await run(SCRIPT, ['stop', String(port)]));
  return { baseUrl: `http://127.0.0.1:${port}/v1`, port, [Symbol.asyncDispose]: stop };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address ? address.port : 0;
}
