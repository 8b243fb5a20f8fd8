/** Questions to forks of a shell: each has a file for its answer, in the shell's private directory. */
import { writeFileSync } from 'node:fs';
import type { PrivateDirectory } from '../private-directory.ts';
import { endCompleter, readAnswer } from './answer.ts';
import type { Fact, Question } from './complete.ts';

type Completer = {
  readonly code: string;
  readonly arguments: (question: Question, dump: string) => readonly string[];
  readonly keys: string;
};

export class ForkQuestions {
  readonly #directory: PrivateDirectory;
  #asked = 0;
  /** The files of answers that are waited for. */
  readonly #open = new Set<string>();

  constructor(directory: PrivateDirectory) {
    this.#directory = directory;
  }

  /** Only at a prompt. Undefined when no answer comes in time. */
  async ask(
    completer: Completer,
    question: Question,
    signal: AbortSignal,
    send: (keys: string) => void,
  ): Promise<readonly Fact[] | undefined> {
    this.#asked += 1;
    const name = `answer-${this.#asked}`;
    const file = (each: string) => this.#directory.file(each);
    const fields = [file(name), ...completer.arguments(question, file('dump'))];
    try {
      if (this.#asked === 1) writeFileSync(file('completer'), completer.code, { mode: 0o600 });
      writeFileSync(file(name), '', { mode: 0o600 });
      writeFileSync(file('question'), fields.map((field) => `${field.replaceAll('\0', '')}\0`).join(''), {
        mode: 0o600,
      });
    } catch {
      return undefined;
    }
    send(completer.keys);
    const { facts, over } = readAnswer(file(name), signal);
    this.#open.add(file(name));
    void over.then(() => {
      this.#open.delete(file(name));
      this.#directory.discard(name);
    });
    return facts;
  }

  /** A completer has a terminal of its own and would not notice the end. */
  dispose(): void {
    for (const answer of this.#open) endCompleter(answer);
  }
}
