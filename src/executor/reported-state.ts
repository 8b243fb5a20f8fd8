import type { ShellFiles } from '../contracts/hosts.ts';
import type { ShellState } from './driven-shell.ts';
import { parseEnvironment } from './environment.ts';
import { FLAG } from './shell-integration/editor.ts';
import { parseAbbreviations } from './shell-integration/fish-editor.ts';

const FILES = ['words', 'env', 'history', 'abbreviations', 'bindings'] as const;

/** What a shell has written of itself at a prompt, in files of its directory. */
export class ReportedState {
  readonly #directory: ShellFiles;
  #texts: Readonly<Record<(typeof FILES)[number], string>> = {
    words: '',
    env: '',
    history: '',
    abbreviations: '',
    bindings: '',
  };

  constructor(directory: ShellFiles) {
    this.#directory = directory;
  }

  /** Takes the files: what was not written again stays. */
  async take(): Promise<void> {
    const texts = FILES.map(async (name) => [name, (await this.#directory.take(name)) ?? this.#texts[name]] as const);
    this.#texts = { ...this.#texts, ...Object.fromEntries(await Promise.all(texts)) };
  }

  /** @param flags of its last mark S @param prompt the last row of its prompt */
  state(flags: string, prompt: string): ShellState {
    const texts = this.#texts;
    const history = texts.history.startsWith('/') ? { history: texts.history } : {};
    const [aliases = '', others = ''] = texts.words.split(/(?<=^|\n)\n/, 2);
    return {
      words: new Set([...aliases.split('\n'), ...others.split('\n')]),
      aliases: new Set(aliases.split('\n')),
      abbreviations: parseAbbreviations(texts.abbreviations),
      prompt,
      vi: flags.includes(FLAG.vi),
      searches: flags.includes(FLAG.searches) || texts.bindings.includes('"\\C-r": '),
      env: parseEnvironment(texts.env),
      ...history,
    };
  }
}
