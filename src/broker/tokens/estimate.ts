/** Tokens by the look of the characters: the last resort, and seldom too low for any common vocabulary. */

const LETTERS_PER_TOKEN = 3;
const BLANKS_PER_TOKEN = 6;
/** Of anything outside ASCII: a vocabulary that does not know a script spells it in bytes. */
const TOKENS_PER_OTHER = 1.5;

/** Tokens of a text, guessed high. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [run] of text.matchAll(/[a-zA-Z]+|[ \t]+|[\x21-\x7e\n]|[^\x20-\x7e\n]+/g)) {
    const first = run.charCodeAt(0);
    if (first > 0x7e || first < 0x20)
      tokens += first === 9 || first === 10 ? run.length : run.length * TOKENS_PER_OTHER;
    else if (first === 0x20) tokens += Math.ceil(run.length / BLANKS_PER_TOKEN) - 1;
    else tokens += /[a-zA-Z]/.test(run) ? Math.ceil(run.length / LETTERS_PER_TOKEN) : 1;
  }
  return Math.ceil(tokens);
}
