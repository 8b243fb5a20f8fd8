import type { Fault } from './faults.ts';
import type { Capabilities } from './preset.ts';

type Lesson = { readonly words: RegExp; readonly unless: keyof Capabilities; readonly learned: Capabilities };

/** What servers say when they refuse a field, and what it teaches about them. First match wins. */
const LESSONS: readonly Lesson[] = [
  {
    words: /max_tokens.*max_completion_tokens|'max_tokens' is not supported/is,
    unless: 'maxTokensField',
    learned: { maxTokensField: 'max_completion_tokens' },
  },
  {
    words:
      /max_completion_tokens.*(unknown|unsupported|unrecognized|not permitted|extra)|(unknown|unsupported|unrecognized|extra).*max_completion_tokens/is,
    unless: 'maxTokensField',
    learned: { maxTokensField: 'max_tokens' },
  },
  { words: /temperature/i, unless: 'temperature', learned: { temperature: false } },
  { words: /stream_options|include_usage/i, unless: 'streamUsage', learned: { streamUsage: false } },
  {
    words: /does not support tools|tools? (is|are) not supported|requires --jinja|tool.?choice.*not supported/i,
    unless: 'tools',
    learned: { tools: false },
  },
  {
    words:
      /image input is not supported|(does not|doesn['’]t|not) support\w* (image|vision|multi-?modal)|(image_url|images?|vision)\b[^.]{0,60}(not|un)[ -]?supported|(unknown|invalid|unsupported)\b[^.]{0,40}image_url|not a multi-?modal model/i,
    unless: 'images',
    learned: { images: false },
  },
];

/** What a refusal teaches that was not known before; undefined when it is about something else. */
export function detectCapability(fault: Fault, known: Capabilities): Capabilities | undefined {
  if (fault.status === undefined || fault.status < 400 || fault.failure.kind === 'auth') return undefined;
  if (fault.failure.kind !== 'refused' && fault.failure.kind !== 'server') return undefined;
  return LESSONS.find(({ words, unless }) => known[unless] === undefined && words.test(fault.said))?.learned;
}
