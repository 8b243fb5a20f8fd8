/** Made-up values with the form of secrets: examples contain `<36w>` for 36 random letters and digits. */

const CLASSES: Readonly<Record<string, string>> = {
  w: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  h: '0123456789abcdef',
  H: '0123456789ABCDEF',
  d: '0123456789',
  u: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  l: 'abcdefghijklmnopqrstuvwxyz0123456789',
  s: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  b: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  a: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
};

/** A generator that returns the same numbers for the same seed, in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Inserts random characters where the text asks for them. The first and the last are letters or digits. */
export function filled(text: string, random: () => number): string {
  return text.replace(/<(\d+)([whHduslba])>/g, (_, count: string, kind: string) => {
    const all = CLASSES[kind] ?? '';
    const plain = all.replace(/[-_+/]/g, '');
    const pick = (from: string) => from.charAt(Math.floor(random() * from.length));
    const length = Number(count);
    return Array.from({ length }, (_, at) => pick(at === 0 || at === length - 1 ? plain : all)).join('');
  });
}
