import { parseJson } from '../../text/json.ts';
import { asObject, asText } from '../json.ts';

/** The gate's question, by the beginning of its system message (SF-4). */
export const OPINION_PROMPT = 'Detect destructive shell commands';

const READS =
  /^(ls|cat|head|tail|wc|grep|egrep|fgrep|rg|find|du|df|stat|file|sort|uniq|cut|tr|echo|printf|pwd|date|whoami|id|uname|ps|which|type|true|false|test|\[|seq|basename|dirname|realpath|readlink|free|uptime|tree|sleep|cd|mkdir|touch|git)$/;
const READING_GIT = /^git\s+(-C\s+\S+\s+)?(status|log|diff|show|rev-parse|ls-files|blame|describe)\b/;
const READING_TOOL = /(^|__)(read|list|get|search|find|show|view|describe|stat|fetch)(_|$)/i;
const WRITES =
  /[`$]\(|`|\b(rm|rmdir|unlink|shred|dd|truncate|kill|mv|delete|drop|purge|wipe|destroy|remove|format|overwrite)\b|-delete\b|-(exec|execdir|ok|fprintf?|fls)\b(?!\s+(du|ls|stat|wc|grep|cat|file)\b)|\bsort\b[^|;&]*\s-\w*o/i;

/** The demo's second opinion: NO for what only reads, by a short list; YES for everything else. */
export function opinionOn(question: string): 'YES' | 'NO' {
  const call = asObject(parseJson(question.trim()));
  const name = asText(call?.name) ?? asText(call?.tool);
  if (name !== undefined) return READING_TOOL.test(name) && !WRITES.test(question) ? 'NO' : 'YES';
  const command = commandIn(question);
  const quiet = command.replace(/\d?>>?\s*\/dev\/null|\d>&\d/g, ' ');
  if (command === '' || WRITES.test(quiet) || /[<>]/.test(withoutQuotes(quiet))) return 'YES';
  const parts = withoutQuotes(quiet).split(/\|\||&&|[|;&\n]/);
  return parts.every(onlyReads) ? 'NO' : 'YES';
}

function onlyReads(part: string): boolean {
  const text = part.trim();
  const word = /^\S+/.exec(text)?.[0] ?? '';
  if (text === '') return true;
  return READS.test(word) && (word !== 'git' || READING_GIT.test(text));
}

/** The question may name the goal beside the command. */
function commandIn(question: string): string {
  const named = /^\s*command:\s*([\s\S]+?)(?=\n\s*(?:the |user'?s? )*goal\b[^\n]*:|$(?![\s\S]))/im.exec(question)?.[1];
  const rest = named ?? question.replace(/^\s*(?:the |user'?s? )*goal\b[^\n]*:.*$/gim, '');
  return rest.replace(/^```\w*\n|\n```$/g, '').trim();
}

function withoutQuotes(text: string): string {
  return text.replace(/'[^']*'|"[^"`$]*"/g, 'x');
}
