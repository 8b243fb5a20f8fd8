/** What a question comes with beside its words: texts that stand behind it, and images. Pure. */
import { bytesText } from '../text/bytes.ts';

export type TextAttachment = { readonly kind: 'text'; readonly name: string; readonly text: string };

/** An image; its bytes stay in a file of the session, whole as they were when they were attached. */
export type ImageAttachment = {
  readonly kind: 'image';
  readonly name: string;
  readonly file: string;
  /** As `image/png`. */
  readonly type: string;
  readonly bytes: number;
};

export type Attachment = TextAttachment | ImageAttachment;

/** What an image counts in a request: about that of a screenshot, guessed high, as no server says it beforehand. */
export const IMAGE_TOKENS = 1500;

/** The question with the texts behind it, each under its name; an image is named only. */
export function withAttached(question: string, attached: readonly Attachment[]): string {
  const parts = attached.map((each) =>
    each.kind === 'image' ? `[image ${each.name}]` : `${each.name}:\n${fenced(each.text)}`,
  );
  return [question, ...parts].filter((part) => part !== '').join('\n\n');
}

/** What it is called in the transcript: `a.py 3.2 kB`. */
function attachedName(attached: Attachment): string {
  const bytes = attached.kind === 'image' ? attached.bytes : Buffer.byteLength(attached.text);
  return `${attached.name} ${bytesText(bytes)}`;
}

type AskedTurn = {
  readonly kind: 'user';
  readonly origin: 'user' | 'goal';
  readonly text: string;
  readonly images?: readonly ImageAttachment[];
};

/** What is asked, as the model gets it. */
export function turnOf(origin: 'user' | 'goal', text: string, attached: readonly Attachment[]): AskedTurn {
  const images = attached.filter((each) => each.kind === 'image');
  const turn = { kind: 'user', origin, text: withAttached(text, attached) } as const;
  return { ...turn, ...(images.length > 0 && { images }) };
}

/** The part of an entry that names what was attached; none where nothing was. */
export function namesOf(attached: readonly Attachment[]): { readonly attached?: readonly string[] } {
  return attached.length === 0 ? {} : { attached: attached.map(attachedName) };
}

/** In a fence that nothing in the text closes. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}
