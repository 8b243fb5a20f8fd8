/** Handles: what stands in a text in place of a secret. */

/** Brackets that no shell and no JSON knows, a name that says what it is, a few digits that tell two apart. */
const HANDLE = /⟦[A-Z][A-Z0-9_]{1,40}_[0-9a-f]{6,12}⟧/g;

export function handleOf(kind: string, digits: string): string {
  return `⟦${kind}_${digits}⟧`;
}

/** A cheap look: most texts have none. */
function mayHoldHandle(text: string): boolean {
  return text.includes('⟦');
}

/** The handles in a text, each with its place, in order. */
export function handlesIn(text: string): readonly { readonly handle: string; readonly at: number }[] {
  if (!mayHoldHandle(text)) return [];
  return [...text.matchAll(HANDLE)].map((match) => ({ handle: match[0], at: match.index }));
}

/** Puts `value(handle)` in place of each handle; one without a value stays. */
export function replaceHandles(text: string, value: (handle: string) => string | undefined): string {
  return mayHoldHandle(text) ? text.replace(HANDLE, (handle) => value(handle) ?? handle) : text;
}
