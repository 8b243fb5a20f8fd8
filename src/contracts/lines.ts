/** The line at the prompt: how it will be taken, what may complete it, and what its `@` words stand for. */
import type { Attachment } from '../session/message.ts';

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

// The `@` words of a question or a goal (IN-8).

/** One `@` word. */
export type AtWord = {
  /** As it stands in the line. */
  readonly word: string;
  /** What it stands for, with its size; absent where that is nothing, or nothing that can be sent. */
  readonly attachment?: Attachment;
  readonly bytes?: number;
  /** Estimated, rather too many. */
  readonly tokens?: number;
  /** Why it can't be sent, in a sentence that names it: the question stays in the prompt. */
  readonly problem?: string;
  /** Why the user is asked once more before it is sent. */
  readonly doubt?: string;
  /** It looks like a path and nothing is there: it stays a word. */
  readonly missing?: true;
};

export type AttachmentsPort = {
  /** What stands behind the `@` words of a question as it is now. Never rejects. */
  find(question: string): Promise<readonly AtWord[]>;
  /** The same for good: images are copied beside the session, so that they are sent as they were now. */
  take(question: string): Promise<readonly AtWord[]>;
  /** What may stand behind an `@`. */
  complete(start: string): Promise<readonly Completion[]>;
  /**
   * `@` and the path of an image, where a pasted text is the path of one (a file dropped on the terminal); else
   * undefined.
   */
  pasted(text: string): string | undefined;
};

/** Whether a text may hold an `@` word at all. */
export const AT_WORD = /(?:^|\s)@[^\s@]/;
