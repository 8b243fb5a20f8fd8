import { randomUUID } from 'node:crypto';
import type { ToolCall } from '../session/message.ts';
import { parseJson } from '../text/json.ts';
import { asObject, asText } from './json.ts';

type Slot = { index: number | undefined; id: string; name: string; text: string };

/** More calls in one reply are a runaway, not a plan. */
const MAX_CALLS = 64;

/**
 * Puts tool calls together from what servers send: by index, else by id; a new id on a used index begins a new call
 * (Ollama numbers all of them 0); with neither the last call goes on, unless it is whole and a new name comes.
 */
export class ToolCallAssembler {
  readonly #slots: Slot[] = [];

  /** One entry of `delta.tool_calls` or `message.tool_calls`. */
  push(entry: unknown): void {
    const call = asObject(entry);
    if (!call || this.#slots.length > MAX_CALLS) return;
    const fn = asObject(call.function) ?? {};
    const index = Number.isInteger(call.index) ? (call.index as number) : undefined;
    const id = asText(call.id) ?? '';
    const name = asText(fn.name) ?? '';
    const object = asObject(fn.arguments);
    const piece = typeof fn.arguments === 'string' ? fn.arguments : '';
    const slot = this.#slotFor(index, id, name, object !== undefined || piece.trimStart().startsWith('{'));
    if (slot.id === '') slot.id = id;
    if (slot.name === '') slot.name = name;
    if (object) slot.text = JSON.stringify(object);
    else slot.text += piece;
  }

  /** A whole call found elsewhere (in the text). */
  add({ name, arguments: text }: InlineCall): void {
    this.#slots.push({ index: undefined, id: '', name, text });
  }

  /**
   * The calls, each with a unique id and JSON text as arguments. `cut`: the reply did not end by itself, so calls whose
   * arguments are not whole are dropped and named.
   */
  finish(cut: boolean): { readonly calls: readonly ToolCall[]; readonly dropped: readonly string[] } {
    const taken = new Set<string>();
    const calls: ToolCall[] = [];
    const dropped: string[] = [];
    for (const slot of this.#slots) {
      const text = unwrapped(slot.text);
      if (slot.name === '' || (cut && !isWhole(text)) || calls.length >= MAX_CALLS) {
        dropped.push(slot.name || 'a call without a name');
        continue;
      }
      const id = slot.id !== '' && !taken.has(slot.id) ? slot.id : `call_${randomUUID().slice(0, 13)}`;
      taken.add(id);
      calls.push({ id, name: slot.name, arguments: text.trim() === '' ? '{}' : text });
    }
    return { calls, dropped };
  }

  #slotFor(index: number | undefined, id: string, name: string, opens: boolean): Slot {
    const known =
      index !== undefined
        ? this.#slots.findLast((slot) => slot.index === index)
        : id !== ''
          ? this.#slots.findLast((slot) => slot.id === id)
          : this.#slots.at(-1);
    if (!known) return this.#begin(index, id);
    if (id !== '' && known.id !== '' && known.id !== id) return this.#begin(index, id);
    if (id === '' && name !== '' && opens && isWhole(known.text)) return this.#begin(index, id);
    return known;
  }

  #begin(index: number | undefined, id: string): Slot {
    const slot = { index, id, name: '', text: '' };
    this.#slots.push(slot);
    return slot;
  }
}

function isWhole(text: string): boolean {
  return asObject(parseJson(text)) !== undefined;
}

/** Some servers encode the arguments twice: JSON text of JSON text. */
function unwrapped(text: string): string {
  if (!text.trimStart().startsWith('"')) return text;
  const inner = parseJson(text);
  return typeof inner === 'string' && isWhole(inner) ? inner : text;
}

/** A tool call that a model wrote as text because the server did not recognise it. */
export type InlineCall = { readonly name: string; readonly arguments: string };

/**
 * Reads the inside of `<tool_call>…</tool_call>` in the two forms in use: JSON with `name` and `arguments` (Hermes,
 * Qwen) and `<function=NAME><parameter=KEY>VALUE</parameter></function>` (Qwen Coder). Undefined when it is neither.
 */
export function parseInlineCall(body: string): InlineCall | undefined {
  const whole = asObject(parseJson(body.trim()));
  if (whole) {
    const name = asText(whole.name);
    const given = whole.arguments ?? whole.parameters ?? {};
    const parsed = asObject(typeof given === 'string' ? parseJson(given) : given);
    return name && parsed ? { name, arguments: JSON.stringify(parsed) } : undefined;
  }
  const named = /^\s*<function=([\w.-]+)>([\s\S]*)<\/function>\s*$/.exec(body);
  if (!named?.[1]) return undefined;
  const values: Record<string, string> = {};
  for (const [, key, value] of (named[2] ?? '').matchAll(/<parameter=([\w.-]+)>\n?([\s\S]*?)\n?<\/parameter>/g)) {
    if (key && key !== '__proto__') values[key] = value ?? '';
  }
  return { name: named[1], arguments: JSON.stringify(values) };
}
