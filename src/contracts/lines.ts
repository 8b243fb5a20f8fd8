/** The line at the prompt: how it will be taken, and what may complete it. */

export type Route = {
  readonly kind: 'meta' | 'shell' | 'ai';
  /** A prefix decided (`:`, `!`, `?`), not a guess. */
  readonly forced: boolean;
  /** `!!cmd`: the command stays out of the model's context. */
  readonly private?: boolean;
  /** The line without its prefix and without blanks around it. */
  readonly text: string;
  /** Why, in a few words for the prompt. */
  readonly why: string;
  /** It could as well be the other of command and question: what the choice is remembered by (IN-9). */
  readonly unsure?: string;
};

export type Completion = {
  /** The text as it is to stand in the line, quoted where it must be. */
  readonly text: string;
  /** What people are shown of it, where that is less than the text (the last part of a path). */
  readonly label?: string;
  /** What it is, in a word or two. */
  readonly note?: string;
  /** More of the same word may follow: no blank is put behind it. */
  readonly open?: boolean;
};

/** What may stand in place of the text from `start` to the cursor, best first. */
export type Completions = { readonly start: number; readonly items: readonly Completion[] };

/** What is known of the words of a line while it is typed; answers at once. */
export type WordFacts = {
  kindOf(command: string): 'known' | 'alias' | 'unknown';
  /** Whether it names something that is there: asked of the disk in the background, `onAnswer` hears of it. */
  isPath(word: string): boolean;
  onAnswer(listener: () => void): () => void;
  /** The command whose name is spelled most alike; undefined where none is near. */
  nearest(command: string): string | undefined;
  /** What stands for what, at a command's place. */
  abbreviations(): Readonly<Record<string, string>>;
};
