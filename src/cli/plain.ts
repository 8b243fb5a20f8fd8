/** The screen that only writes lines, over the printer of the headless faces. */
import type { App } from '../commands/app.ts';
import { EntryPrinter } from './print.ts';

/** Entries of a resumed session that are written once more. */
const SAID_AGAIN = 20;

/** Runs until the user leaves; the exit code. */
export async function plainScreen(aish: App): Promise<number> {
  const { runPlain } = await import('../plain/plain.ts');
  const { engine } = aish;
  return runPlain({
    aish,
    input: process.stdin,
    output: process.stdout,
    printer(write) {
      const from = Math.max(0, engine.transcript.entries.length - SAID_AGAIN);
      const printer = new EntryPrinter({ out: write, json: false }, from, engine.services.secrets.reveal);
      return () => printer.print(engine.transcript.entries);
    },
  });
}
