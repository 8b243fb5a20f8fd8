/** What the `@` words of a question or a goal stand for (IN-8). */
import type { Attachment } from '../session/attachment.ts';
import type { Completion } from './lines.ts';

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
  /** `@` and the path of an image, where a pasted text is the path of one (a file dropped on the terminal); else undefined. */
  pasted(text: string): string | undefined;
};

/** Whether a text may hold an `@` word at all. */
export const AT_WORD = /(?:^|\s)@[^\s@]/;
