import { randomUUID } from 'node:crypto';
import type { ToolCall } from '../session/message.ts';
import { parseJson } from '../text/json.ts';
import { asObject, asText } from './json.ts';

type Slot = { index: number | undefined; id: string; name: string; text: string };

/** More calls in one reply are a runaway, not a plan. */
const MAX_CALLS = 64;

export type ToolCallAssembler = {
  /** One entry of `delta.tool_calls` or `message.tool_calls`. */
  push(entry: unknown): void;
  /** A whole call found elsewhere (in the text). */
  add(name: string, args: string): void;
  /**
   * The calls, each with a unique id and JSON text as arguments. `cut`: the reply did not end by itself, so calls whose
   * arguments are not whole are dropped and named.
   */
  finish(cut: boolean): { readonly calls: readonly ToolCall[]; readonly dropped: readonly string[] };
};

/**
 * Puts tool calls together from what servers send: by index, else by id; a new id on a used index begins a new call
 * (Ollama numbers all of them 0); with neither the last call goes on, unless it is whole and a new name comes.
 */
export function createToolCallAssembler(): ToolCallAssembler {
  const slots: Slot[] = [];

  const begin = (index: number | undefined, id: string): Slot => {
    const slot = { index, id, name: '', text: '' };
    slots.push(slot);
    return slot;
  };

  const slotFor = (index: number | undefined, id: string, name: string, opens: boolean): Slot => {
    const known =
      index !== undefined
        ? slots.findLast((slot) => slot.index === index)
        : id !== ''
          ? slots.findLast((slot) => slot.id === id)
          : slots.at(-1);
    if (!known) return begin(index, id);
    if (id !== '' && known.id !== '' && known.id !== id) return begin(index, id);
    if (id === '' && name !== '' && opens && isWhole(known.text)) return begin(index, id);
    return known;
  };

  return {
    push(entry) {
      const call = asObject(entry);
      if (!call || slots.length > MAX_CALLS) return;
      const fn = asObject(call.function) ?? {};
      const index = Number.isInteger(call.index) ? (call.index as number) : undefined;
      const id = asText(call.id) ?? '';
      const name = asText(fn.name) ?? '';
      const given = fn.arguments;
      const object = asObject(given);
      const piece = typeof given === 'string' ? given : '';
      const slot = slotFor(index, id, name, object !== undefined || piece.trimStart().startsWith('{'));
      if (slot.id === '') slot.id = id;
      if (slot.name === '') slot.name = name;
      if (object) slot.text = JSON.stringify(object);
      else slot.text += piece;
    },
    add(name, args) {
      const slot = begin(undefined, '');
      slot.name = name;
      slot.text = args;
    },
    finish(cut) {
      const taken = new Set<string>();
      const calls: ToolCall[] = [];
      const dropped: string[] = [];
      for (const slot of slots) {
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
    },
  };
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
