/** The plain screen, over the printer of the headless front ends. */
import type { App } from '../commands/app.ts';
import { EntryPrinter } from './print.ts';

/** How many entries of a resumed session are printed again. */
const REPEATED_ENTRIES = 20;

/** Runs until the user leaves; the exit code. */
export async function plainScreen(app: App): Promise<number> {
  // Node's line editor asks for that name before it moves a cursor.
  process.env.TERM ||= 'dumb';
  const { runPlain } = await import('../ui/plain/plain.ts');
  const { engine } = app;
  return runPlain({
    app,
    input: process.stdin,
    output: process.stdout,
    printer(write) {
      const from = Math.max(0, engine.transcript.entries.length - REPEATED_ENTRIES);
      const printer = new EntryPrinter({ out: write, json: false }, from, engine.services.secrets.reveal);
      return () => printer.print(engine.transcript.entries);
    },
  });
}
