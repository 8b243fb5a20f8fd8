/** `aish-tui uninstall`: removes everything that aish-tui stores outside its package. */
import type { Dirent } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { placesOf } from '../config/index.ts';
import { isLocked } from '../store/index.ts';
import { messageOf } from '../text/errors.ts';
import { visible } from '../text/sanitize.ts';
import { bytesText } from '../text/spelled.ts';
import { EXIT } from './exit-codes.ts';
import type { Writer } from './print.ts';

export type UninstallWish = { readonly yes: boolean; readonly withConfig: boolean };

type Kept = { readonly path: string; readonly what: string; readonly goes: boolean; readonly bytes: number };

/**
 * Runs `aish-tui uninstall`, which only lists without `yes`. Returns 2 while a session is open, 1 if something could
 * not be removed.
 */
export async function uninstall({ yes, withConfig }: UninstallWish, out: Writer, err: Writer): Promise<number> {
  const { state, cache, config } = placesOf(process.env);
  const open = (await namesIn(join(state, 'sessions'))).find((id) => isLocked(join(state, 'sessions', id)));
  if (yes && open !== undefined) {
    err(`aish-tui: session ${open} is open; leave it first\n`);
    return EXIT.usage;
  }
  const kept = (
    await Promise.all([
      measured(state, 'sessions, history, memory, what :undo needs, costs, trust, logins, log', true),
      measured(cache, 'cache', true),
      measured(dirname(config), 'configuration, prices', withConfig),
    ])
  ).filter((each) => each !== undefined);
  if (kept.length === 0) out('nothing is kept on this machine\n');
  let failed = false;
  for (const { path, what, goes, bytes } of kept) {
    const problem = yes && goes ? await removed(path) : undefined;
    failed ||= problem !== undefined;
    const how = problem ?? (goes ? (yes ? 'removed' : 'would be removed') : 'is kept; --with-config removes it');
    (problem === undefined ? out : err)(`${visible(path)}  ${bytesText(bytes)}  ${what}: ${how}\n`);
  }
  if (!yes && kept.some(({ goes }) => goes)) out('aish-tui uninstall --yes deletes it for good\n');
  if (yes)
    out(
      `the program itself: npm uninstall --global aish-tui\nhooks of other agents: take out the lines that name aish-guard\n`,
    );
  return failed ? 1 : EXIT.ok;
}

async function removed(path: string): Promise<string | undefined> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
    return undefined;
  } catch (error) {
    return `not removed (${messageOf(error)})`;
  }
}

async function measured(path: string, what: string, goes: boolean): Promise<Kept | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && { path, what, goes, bytes: await bytesBelow(path) };
}

/** Counts bytes without following links. */
async function bytesBelow(path: string): Promise<number> {
  const entries = await entriesIn(path);
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const child = join(path, entry.name);
      if (entry.isDirectory()) return bytesBelow(child);
      return entry.isFile() ? ((await stat(child).catch(() => undefined))?.size ?? 0) : 0;
    }),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

function entriesIn(path: string): Promise<readonly Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch(() => []);
}

async function namesIn(path: string): Promise<readonly string[]> {
  return (await entriesIn(path)).map(({ name }) => name);
}
