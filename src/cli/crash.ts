import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../app/options.ts';
import { processFilter } from '../app/secrets-filter.ts';
import { placesOf } from '../config/index.ts';
import { messageOf } from '../text/errors.ts';
import { makeDirectory } from '../text/files.ts';

/** The library that opens terminals has a binary package for each system. */
const NO_BINARY = /could not find the binary package|node-pty package|pty\.node/;

/** Writes a crash report to a private file (RE-2); returns one line for the user with its path. */
export function reportCrash(error: unknown): string {
  // The error may contain a secret (SE-2).
  const message = hidden(messageOf(error));
  if (NO_BINARY.test(message))
    return `a part for ${process.platform}-${process.arch} is missing (node-pty): it can't open a terminal. Install aish-tui again on this system: a copied node_modules, or npm's --omit=optional, leaves that part out.`;
  try {
    const { state } = placesOf(process.env);
    const file = join(state, `crash-${new Date().toISOString().replaceAll(':', '')}.txt`);
    makeDirectory(state);
    const stack = hidden(error instanceof Error ? (error.stack ?? '') : String(error));
    writeFileSync(file, `aish-tui ${VERSION}, Node ${process.versions.node}, ${process.platform}\n${stack}\n`, {
      mode: 0o600,
    });
    return `it crashed: ${message}; the session is saved (aish-tui --resume), and a report is in ${file}`;
  } catch {
    return `it crashed: ${message}; the session is saved (aish-tui --resume)`;
  }
}

/** If the filter itself failed, the text can't be shown. */
function hidden(text: string): string {
  try {
    return processFilter().hide(text, 'a crash');
  } catch {
    return '(no report: the secrets filter failed)';
  }
}
