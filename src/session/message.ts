/**
 * The words that model calls are made of, and what is attached to them. Neutral of any wire format; the broker
 * translates.
 */
import { bytesText } from '../text/spelled.ts';

/**
 * One call of a tool as the model wrote it. `arguments` is JSON text exactly as received, not yet parsed or trusted.
 */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** One message of a request. Exactly one system message stands first (CX-6); a tool message answers one call. */
export type Message =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly ImageAttachment[] }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };

/** What a tool tells the model of itself. `parameters` is a JSON Schema. Never changes with the mode (MO-2). */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/** Tokens of one call as the server counted them; `dollars` only where the server itself named a price. */
export type Usage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens?: number;
  readonly dollars?: number;
};

/** What a call is made for; costs are counted by it (CO-1). */
export type Category =
  | 'chat'
  | 'norris'
  | 'norris-preplan'
  | 'norris-replan'
  | 'safety'
  | 'delegate'
  | 'memory'
  | 'summary';

/** Why a call failed, for the machine to decide on and for one clear line on screen (BR-5). */
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

/** The whole of one model reply. A failed or cancelled call still carries what had arrived. */
export type Reply = {
  readonly text: string;
  readonly reasoning: string;
  /** Complete calls only: a call cut by the token limit is dropped and named in `notices`. */
  readonly toolCalls: readonly ToolCall[];
  /** How many more calls it made than one reply may. */
  readonly tooMany?: number;
  readonly usage?: Usage;
  /** The preset that answered in the end (a fallback may have). */
  readonly preset: string;
  /** Presets that may be asked instead after a failure, in order (BR-4). Absent: nothing there would help. */
  readonly fallback?: readonly string[];
  /** Failed replies of the same call before this one, by this preset or others. They may have used tokens too. */
  readonly attempts?: readonly Reply[];
  readonly finish: 'stop' | 'tools' | 'length' | 'cancelled' | 'failed';
  /** The token limit cut the text: its last line may be half a line. */
  readonly truncated?: boolean;
  /** A command behind a marker may have several lines; absent in older journals, which fold as they did. */
  readonly wholeCommands?: true;
  readonly failure?: CallFailure;
  /** Lines worth telling the user: a truncated tool call, an answer spent in thinking, a fallback used. */
  readonly notices: readonly string[];
};

// What a question comes with beside its words: texts that stand behind it, and images.

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
