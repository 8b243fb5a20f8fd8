/** Shared connections that somebody else's ssh has opened for us, and would keep for a while. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { controlArgv } from './ssh.ts';

/** For a word to a master, which may be stopped. Ms. */
const EXIT_TIMEOUT_MS = 2000;

/** Ends the masters whose sockets lie in a folder of ours, as far as they answer. Never rejects. */
export async function endMasters(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sockets = entries.filter((entry) => entry.isSocket()).map(({ name }) => join(folder, name));
  await Promise.all(sockets.map((socket) => endMaster(socket, env)));
}

function endMaster(socket: string, env: Readonly<Record<string, string>>): Promise<void> {
  const [file = 'ssh', ...words] = controlArgv(socket, 'exit');
  return new Promise((resolve) => {
    execFile(file, words, { env, timeout: EXIT_TIMEOUT_MS, killSignal: 'SIGKILL' }, () => resolve());
  });
}
