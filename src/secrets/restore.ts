/** Turns a command with handles into the command that runs (SE-1): each secret is passed as an environment variable. */

import { type Place, placesOf, sameShape } from './places.ts';
import { handlesIn } from './vault.ts';

/** What happened to a command's handles. */
export type Restored =
  | {
      readonly kind: 'restored';
      /** What runs: references to `env` in place of the handles. A value stands in clear only where no reference can. */
      readonly command: string;
      /** The same command with the true values as quoted words, for the gate. */
      readonly judged: string;
      readonly env: Readonly<Record<string, string>>;
      /** Why a value might become part of the code, if it might: then the user decides. */
      readonly unsafe?: string;
    }
  /** Handles that can't be resolved here. */
  | { readonly kind: 'unknown'; readonly handles: readonly string[] };

const NAME = 'AISH_SECRET_';
const AS_CODE = 'a secret would stand where the shell may take it for code';
/** Characters that make quoted text more than text. */
const ACTIVE = /[$`\\'"]/;
/** Characters that are plain text in every shell and language. */
const PLAIN = /^[A-Za-z0-9_.,:/@%+=-]+$/;

/**
 * A command without handles comes back as it is.
 * @param value the value behind a handle
 * @param asWritten whether a value was first seen in a command that a model or the user wrote: it is a piece of that text,
 *   with whatever it escapes or expands, and stands again as it stood
 */
export function restoreCommand(
  command: string,
  value: (handle: string) => string | undefined,
  asWritten: (handle: string) => boolean = () => false,
): Restored {
  const found = handlesIn(command);
  const unknown = found.filter(({ handle }) => value(handle) === undefined).map(({ handle }) => handle);
  if (unknown.length > 0) return { kind: 'unknown', handles: [...new Set(unknown)] };
  if (found.length === 0) return { kind: 'restored', command, judged: command, env: {} };
  const places = placesOf(
    command,
    found.map(({ at }) => at),
  );
  const restoring = new Restoring(command);
  for (const [index, { handle, at }] of found.entries()) {
    const secret = value(handle) ?? '';
    if (asWritten(handle) && ACTIVE.test(secret)) restoring.putAsWritten(at, handle, secret);
    else restoring.put(at, handle, secret, places[index] ?? { kind: 'odd' });
  }
  return restoring.done();
}

/** A command whose handles are replaced one by one: as it runs, and as it is judged. */
class Restoring {
  private readonly names = new Map<string, string>();
  private readonly env: Record<string, string> = {};
  private readonly runs: Pieces;
  private readonly judged: Pieces;
  private readonly command: string;
  private unsafe: string | undefined;

  constructor(command: string) {
    this.command = command;
    this.runs = new Pieces(command);
    this.judged = new Pieces(command);
  }

  putAsWritten(at: number, handle: string, secret: string): void {
    this.runs.put(at, handle.length, secret);
    this.judged.put(at, handle.length, secret);
    // Written in one kind of quotes it may now stand in another.
    if (/`|\$[({]/.test(secret)) this.unsafe ??= AS_CODE;
  }

  put(at: number, handle: string, secret: string, place: Place): void {
    if (place.kind === 'comment') return;
    const name = this.names.get(handle) ?? `${NAME}${this.names.size + 1}`;
    this.names.set(handle, name);
    const plain = PLAIN.test(secret);
    const [run, judge] = inserted(place, secret, name, plain);
    if (run.includes(name)) this.env[name] = secret;
    this.runs.put(at, handle.length, run);
    this.judged.put(at, handle.length, judge);
    if (!plain) this.unsafe ??= dangerOf(place, secret);
  }

  done(): Restored {
    const { env } = this;
    const restored = { command: this.runs.done(), judged: this.judged.done() };
    // However the places were read: what was judged must be what runs.
    if (!sameShape(restored.command, restored.judged)) this.unsafe ??= AS_CODE;
    // The gate knows the value in its own place only.
    if (Object.keys(env).length > 0 && this.command.includes(NAME))
      this.unsafe ??= 'it names the variable of a secret itself';
    return { kind: 'restored', ...restored, env, ...(this.unsafe === undefined ? {} : { unsafe: this.unsafe }) };
  }
}

/** The replacement for the handle, for the shell and for the gate. */
function inserted({ kind }: Place, secret: string, name: string, plain: boolean): readonly [string, string] {
  const quoted = `'${secret.replaceAll("'", "'\\''")}'`;
  switch (kind) {
    case 'bare':
      return [`"$${name}"`, quoted];
    case 'single':
      return [`'"$${name}"'`, `'${quoted}'`];
    case 'ansi':
      return [`'"$${name}"$'`, `'${quoted}$'`];
    case 'double':
      return [`\${${name}}`, `"${quoted}"`];
    case 'document':
      return [`\${${name}}`, secret.replace(/[\\$`]/g, '\\$&')];
    case 'literalDocument':
      return [secret, secret];
    case 'odd':
    case 'comment':
      return [plain ? secret : `\${${name}}`, secret];
  }
}

function dangerOf(place: Place, secret: string): string | undefined {
  if (place.code !== undefined) return `a secret would become part of what ${place.code} runs`;
  if (place.kind === 'odd') return AS_CODE;
  // A line of it may end the document.
  if (place.kind === 'literalDocument' && secret.includes('\n'))
    return 'a secret of several lines would stand in a here-document';
  return undefined;
}

/** A text with some pieces replaced, from left to right. */
class Pieces {
  readonly #text: string;
  #out = '';
  #from = 0;

  constructor(text: string) {
    this.#text = text;
  }

  put(at: number, length: number, piece: string): void {
    this.#out += this.#text.slice(this.#from, at) + piece;
    this.#from = at + length;
  }

  done(): string {
    return this.#out + this.#text.slice(this.#from);
  }
}
