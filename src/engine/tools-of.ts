import type { Services } from '../contracts/services.ts';
import type { ToolSpec } from '../session/message.ts';
import type { Conversation } from '../session/state.ts';

/** By description as it came, so that the same one is sent each time. */
const hidden = new WeakMap<ToolSpec, ToolSpec>();

/**
 * The tools that a conversation is told of, without the secrets that a server may have put into its descriptions (SE-1).
 * A sub-agent can't delegate; otherwise they are the same for all (MO-2).
 */
export function toolsOf(
  { tools, secrets }: Pick<Services, 'tools' | 'secrets'>,
  { parent }: Conversation,
): readonly ToolSpec[] {
  const specs = tools.specs.map((spec) => {
    const known = hidden.get(spec) ?? secrets.hide(spec, 'the description of a tool');
    hidden.set(spec, known);
    return known;
  });
  return parent ? specs.filter((spec) => spec.name !== 'delegate') : specs;
}
