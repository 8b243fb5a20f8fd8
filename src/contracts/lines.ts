/** The line at the prompt: its route, its completions, and its `@` words. */
import type { Attachment } from '../session/message.ts';

export type Route = {
  readonly kind: 'meta' | 'shell' | 'ai';
  /** A prefix decided (`:`, `!`, `?`), not a guess. */
  readonly forced: boolean;
  /** `!!cmd`: the command stays out of the model's context. */
  readonly private?: boolean;
  /** The line without its prefix and surrounding blanks. */
  readonly text: string;
  /** The reason in a few words, for the prompt. */
  readonly why: string;
  /** Set if it could be a command or a question: the key for remembering the user's choice (IN-9). */
  readonly unsure?: string;
};

export type Completion = {
  /** The text to insert, quoted if necessary. */
  readonly text: string;
  /** The text to show, if shorter than the completion (the last part of a path). */
  readonly label?: string;
  /** The kind of the completion, in a word or two. */
  readonly note?: string;
  /** The word may continue: add no blank after it. */
  readonly open?: boolean;
};

/** Candidates to replace the text from `start` to the cursor, best first. */
export type Completions = { readonly start: number; readonly items: readonly Completion[] };

/** Facts about words while the user types; answers at once. */
export type WordFacts = {
  kindOf(command: string): 'known' | 'alias' | 'unknown';
  /** Whether it names an existing file: checked on disk in the background; `onAnswer` is called with news. */
  isPath(word: string): boolean;
  onAnswer(listener: () => void): () => void;
  /** The command with the most similar name; undefined if none is near. */
  nearest(command: string): string | undefined;
  /** Abbreviations in command position, with their expansions. */
  abbreviations(): Readonly<Record<string, string>>;
};

// The `@` words of a question or a goal (IN-8).

/** One word of the line that begins with `@`. */
export type AtWord = {
  /** The word as typed in the line. */
  readonly word: string;
  /** The attachment with its size; undefined if there is none, or it can't be sent. */
  readonly attachment?: Attachment;
  readonly bytes?: number;
  /** An estimate, rather too high. */
  readonly tokens?: number;
  /** Why it can't be sent, as a sentence with its name: the question stays in the prompt. */
  readonly problem?: string;
  /** Why the user must confirm before it is sent. */
  readonly doubt?: string;
  /** Whether it looks like a path that does not exist: then it stays a word. */
  readonly missing?: true;
};

export type AttachmentsPort = {
  /** Resolves the `@` words of a question in their current state. Never rejects. */
  find(question: string): Promise<readonly AtWord[]>;
  /** The same for sending: images are copied to the session, so that they can't change afterwards. */
  take(question: string): Promise<readonly AtWord[]>;
  /** Completes the text after an `@`. */
  complete(start: string): Promise<readonly Completion[]>;
  /**
   * Returns `@` and the path if the pasted text is an image's path (a file dropped on the terminal); else undefined.
   */
  pasted(text: string): string | undefined;
};

/** Whether a text may contain an `@` word at all. */
export const AT_WORD = /(?:^|\s)@[^\s@]/;
