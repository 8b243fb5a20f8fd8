import { parseJson } from '../text/json.ts';
import { asObject, asText } from './json.ts';

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
