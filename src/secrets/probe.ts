/** `aish-tui secrets check`: one JSON line in, one out (CL-2). */
import { replaced, type SecretsFilter, secretIn } from './filter.ts';
import { Vault } from './vault.ts';

/**
 * `{"text","id"?}` → `{"id"?,"spans":[[start,end,kind]],"scrubbed"}`, offsets in UTF-16 units of the text. Input that is
 * no such object gives `{"error"}`, so that answers stay in step with lines. Each line is answered by itself. Never throws.
 */
export function checkSecretsLine(json: string, filter: Pick<SecretsFilter, 'find'>): string {
  let input: unknown;
  try {
    input = JSON.parse(json);
  } catch {
    return JSON.stringify({ error: 'not JSON; a line looks like {"text":"…"}' });
  }
  const text = typeof input === 'object' && input !== null && 'text' in input ? input.text : undefined;
  if (typeof text !== 'string') return JSON.stringify({ error: 'no "text"; a line looks like {"text":"…"}' });
  const id = typeof input === 'object' && input !== null && 'id' in input ? { id: input.id } : {};
  const findings = filter.find(text);
  const vault = new Vault();
  const scrubbed = replaced(text, findings, (piece, kind) => vault.handle(secretIn(piece, kind), kind, ''));
  return JSON.stringify({ ...id, spans: findings.map(({ start, end, kind }) => [start, end, kind]), scrubbed });
}
