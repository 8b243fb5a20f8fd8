/** The forms in which a known value may turn up: as it is, and as the usual encodings write it. */

export type Form = { readonly text: string; readonly suffix: '' | '_B64' | '_URL' | '_ESC' };

/** Shortest encoded piece worth looking for. */
const MIN_FORM_CHARS = 10;

/** The value itself first; each form once. */
export function formsOf(value: string): readonly Form[] {
  const forms: Form[] = [{ text: value, suffix: '' }];
  const add = (text: string, suffix: Form['suffix']) => {
    if (text.length >= MIN_FORM_CHARS && !forms.some((form) => form.text === text)) forms.push({ text, suffix });
  };
  for (const text of base64Forms(value)) {
    add(text, '_B64');
    add(text.replaceAll('+', '-').replaceAll('/', '_'), '_B64');
  }
  add(urlEncoded(value), '_URL');
  add(JSON.stringify(value).slice(1, -1), '_ESC');
  add(value.replaceAll("'", "'\\''"), '_ESC');
  add(value.replace(/[\\"$`]/g, '\\$&'), '_ESC');
  add(value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'), '_ESC');
  return forms;
}

/** Base64 of the value alone and, less the characters that it shares with others, of the value inside a longer text. */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8');
  const whole = bytes.toString('base64').replace(/=+$/, '');
  const inside = [1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(offset + 1, text.length - ((bytes.length + offset) % 3 === 0 ? 0 : 1));
  });
  const core = bytes.length % 3 === 0 ? whole : whole.slice(0, -1);
  return [whole, core, ...inside].filter((text) => text.length >= MIN_FORM_CHARS);
}

function urlEncoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value;
  }
}
