/** Guesses what an output is that is no UTF-8, from its bytes: each byte that can't be read is drawn as U+FFFD. */

/** Bytes that a guess rests on. */
const SAMPLE_BYTES = 16 * 1024;
/** What text has none of. */
const BINARY = /[\0-\x06\x0e-\x1a\x1c-\x1f]/;
const CHARACTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;
const CUT_CHARACTER = /[\xe0-\xef][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{1,2}|[\xc2-\xf4]$/g;

export class EncodingGuess {
  #sample = '';

  /** @param text what was read of `data` */
  add(data: Buffer, text: string): void {
    if (this.#sample.length >= SAMPLE_BYTES || !text.includes('\ufffd')) return;
    this.#sample += data.toString('latin1', 0, SAMPLE_BYTES);
  }

  /** One line about the encoding; undefined where all was UTF-8, or nothing of use can be said. */
  get line(): string | undefined {
    const name = likely(this.#sample);
    return name && `its output is not UTF-8, likely ${name}: iconv -f ${name} reads it`;
  }
}

function likely(bytes: string): string | undefined {
  if (/^(?:\xff\xfe|\xfe\xff)/.test(bytes)) return 'UTF-16';
  if (BINARY.test(bytes) || CHARACTER.test(bytes)) return undefined;
  const rest = bytes.replace(CUT_CHARACTER, '');
  const runs = rest.match(/[\x80-\xff]+/g) ?? [];
  // Whole words beyond ASCII are of another script, in one of many encodings.
  if (runs.length === 0 || runs.some((run) => run.length > 2)) return undefined;
  if (!/[\x80-\x9f]/.test(rest)) return 'LATIN1';
  // Quotes and dashes stand between words, except for an apostrophe (0x92).
  return /[a-z][\x80-\x91\x93-\x9f][a-z]/i.test(rest) ? 'CP850' : 'CP1252';
}
