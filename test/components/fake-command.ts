import type { LiveOutput, RunningCommand } from '../../src/contracts/commands.ts';
import type { CommandResult } from '../../src/session/action.ts';

/** A command that runs until a test ends it. */
export class FakeCommand implements RunningCommand {
  readonly pid = 1;
  readonly written: string[] = [];
  fullScreen = false;
  echoOff = false;
  asks = false;
  asksAsShell = false;
  nested = undefined;
  keyboard = { disambiguates: false, applicationCursor: false, bracketsPastes: false };
  asker: string | undefined;
  interrupted = 0;
  size: readonly number[] = [];
  readonly result: Promise<CommandResult>;
  readonly output: LiveOutput & { promptText: string };
  readonly #end = Promise.withResolvers<CommandResult>();
  readonly #listeners = new Set<() => void>();
  #lines: string[] = [];

  constructor() {
    this.result = this.#end.promise;
    const lines = () => this.#lines;
    this.output = {
      version: 0,
      bytes: 0,
      cleared: false,
      promptText: '',
      lines: (max) => lines().slice(-max),
      subscribe: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }

  write(data: string): void {
    this.written.push(data);
  }
  resize(columns: number, rows: number): void {
    this.size = [columns, rows];
  }
  interrupt(): void {
    this.interrupted += 1;
    this.end({ exit: 130 });
  }
  hangUp(): void {
    this.end();
  }
  onModes(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  rawOutput(): () => void {
    return () => {};
  }
  unread(): Promise<string> {
    return Promise.resolve('');
  }
  print(lines: readonly string[], asks = ''): void {
    this.#lines = [...lines];
    Object.assign(this.output, { version: this.output.version + 1, promptText: asks });
    for (const listener of this.#listeners) listener();
  }
  /** Prints these words and waits for an answer. */
  ask(words: string, change: { echoOff?: boolean; asker?: string } = {}): void {
    Object.assign(this, { asks: true, ...change });
    this.print([words], words);
  }
  end(change: Partial<CommandResult> = {}): void {
    const head = this.#lines.join('\n');
    const facts = { exit: 0, cwd: '/home/me', tail: '', omittedLines: 0, bytes: head.length, milliseconds: 5 };
    this.#end.resolve({ ...facts, head, ...change });
  }
}
