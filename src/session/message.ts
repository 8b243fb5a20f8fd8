/** Types of model calls and their attachments, independent of any wire format; the broker translates them. */
import { bytesText } from '../text/spelled.ts';

/** One tool call as the model wrote it. `arguments` is JSON text as received, neither parsed nor trusted. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** One message of a request. Exactly one system message comes first (CX-6); a tool message answers one call. */
export type Message =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly ImageAttachment[] }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };

/** The definition of a tool for the model. `parameters` is a JSON Schema. Never changes with the mode (MO-2). */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/** The token counts reported by the server; `dollars` only if the server reported a price. */
export type Usage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens?: number;
  readonly dollars?: number;
};

/** The purpose of a call; costs are counted by it (CO-1). */
export type Category =
  | 'chat'
  | 'norris'
  | 'norris-preplan'
  | 'norris-replan'
  | 'safety'
  | 'delegate'
  | 'memory'
  | 'summary';

/** Why a call failed: for the state machine's decisions and for one clear line on screen (BR-5). */
export type CallFailure = {
  readonly kind:
    | 'unreachable'
    | 'auth'
    | 'loading'
    | 'busy'
    | 'overflow'
    | 'server'
    | 'protocol'
    | 'timeout'
    | 'cut'
    | 'unknown-preset'
    | 'refused';
  /** One line: what happened and what to do. Clean text, no secrets. */
  readonly message: string;
};

/** A complete model reply. A failed or cancelled call still contains what had arrived. */
export type Reply = {
  readonly text: string;
  readonly reasoning: string;
  /** Complete calls only: a call cut by the token limit is dropped and reported in `notices`. */
  readonly toolCalls: readonly ToolCall[];
  /** How many calls exceeded the limit for one reply. */
  readonly tooMany?: number;
  readonly usage?: Usage;
  /** The preset that finally answered, which may be a fallback. */
  readonly preset: string;
  /** Presets to try after a failure, in order (BR-4). Absent: no other preset would help. */
  readonly fallback?: readonly string[];
  /** Earlier failed replies of the same call, by this preset or others. They may have used tokens too. */
  readonly attempts?: readonly Reply[];
  readonly finish: 'stop' | 'tools' | 'length' | 'cancelled' | 'failed';
  /** The token limit cut the text: its last line may be half a line. */
  readonly truncated?: boolean;
  /** Commands after a marker may have several lines. Absent in older journals, which replay without that. */
  readonly wholeCommands?: true;
  readonly failure?: CallFailure;
  /** Lines for the user: a truncated tool call, an answer spent on thinking, a fallback used. */
  readonly notices: readonly string[];
};

// Attachments of a question: texts appended to it, and images.

export type TextAttachment = { readonly kind: 'text'; readonly name: string; readonly text: string };

/** An image. Its bytes are in a file of the session, a copy from when it was attached. */
export type ImageAttachment = {
  readonly kind: 'image';
  readonly name: string;
  readonly file: string;
  /** The media type, such as `image/png`. */
  readonly type: string;
  readonly bytes: number;
};

export type Attachment = TextAttachment | ImageAttachment;

/** The assumed tokens of an image, as for a screenshot. Guessed high, because no server reports it in advance. */
export const IMAGE_TOKENS = 1500;

/** Appends the texts to the question, each under its name. Images are only named. */
export function withAttached(question: string, attached: readonly Attachment[]): string {
  const parts = attached.map((each) =>
    each.kind === 'image' ? `[image ${each.name}]` : `${each.name}:\n${fenced(each.text)}`,
  );
  return [question, ...parts].filter((part) => part !== '').join('\n\n');
}

/** Returns the attachment's name in the transcript: `a.py 3.2 kB`. */
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

/** Returns the turn of a question for the model. */
export function turnOf(origin: 'user' | 'goal', text: string, attached: readonly Attachment[]): AskedTurn {
  const images = attached.filter((each) => each.kind === 'image');
  const turn = { kind: 'user', origin, text: withAttached(text, attached) } as const;
  return { ...turn, ...(images.length > 0 && { images }) };
}

/** Returns the names of attachments to spread into an entry; nothing without attachments. */
export function namesOf(attached: readonly Attachment[]): { readonly attached?: readonly string[] } {
  return attached.length === 0 ? {} : { attached: attached.map(attachedName) };
}

/** Wraps a text in a fence that the text can't close. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}
