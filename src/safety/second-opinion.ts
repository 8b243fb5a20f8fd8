/** The system prompt of the second opinion (SF-4): what would be lost, what would leave, and what would stay behind. */
export const SECOND_OPINION_PROMPT =
  'Detect destructive shell commands. Reply YES if running this would delete, overwrite, or irreversibly modify data, processes, or system state. Otherwise reply NO. Respond with only YES or NO.\n' +
  'Reply YES as well if it would read a credential (a key, token, password, .env file or the environment) into anything that sends, grant rights in a cloud or cluster, open a firewall or a port to everyone, add a login or an account, or install something that starts again later by itself (a service, cron job, shell start file or git hook). Only YES or NO.';

/** How the gate asks a model: one call, no tools, no stream; the engine chooses preset and token limit. */
export type AskModel = (
  system: string,
  user: string,
  signal: AbortSignal,
) => Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false }>;

export type Opinion = { readonly destructive: boolean; readonly reason: string; readonly failed: boolean };

/** What the model is shown: the action and the user's goal, never output nor the agent's own prose. */
function opinionText(action: string, goal: string): string {
  return `Goal: ${goal === '' ? '(none)' : goal}\nCommand:\n${action}`;
}

/**
 * Reads an answer: its first word decides, case and punctuation aside. A NO must stand by itself: "No tool is available"
 * and "No, I can't say" are none, and neither is one beside a YES. A reasoning model's thinking (`<think>…`) is skipped;
 * thinking that never ended is no answer.
 */
function readAnswer(text: string): 'YES' | 'NO' | undefined {
  const answer = text
    .replace(/<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/gi, ' ')
    .replace(/^[\s\S]*<\/think(?:ing)?>/i, ' ');
  if (/<think(?:ing)?>/i.test(answer)) return undefined;
  const word = /[\p{L}\p{N}]+/u.exec(answer)?.[0]?.toUpperCase();
  if (word === 'YES') return 'YES';
  return word === 'NO' && ALONE.test(answer) && !DOUBTS.test(answer) ? 'NO' : undefined;
}

/** No word stands behind it in its sentence. */
const ALONE = /^[^\p{L}\p{N}]*no(?![ \t]*[\p{L}\p{N}])/iu;
const DOUBTS =
  /\b(yes|can[’']?t|cannot|can not|unable|unsure|not (sure|clear|certain|known|possible)|don[’']t know|do not know|sorry|apologi[sz]e|unless|however|but|depends|may|might|could)\b/i;

/** Asks once, within `timeoutMs` milliseconds. Every failure counts as destructive and says so; why it failed is said once, where it is noticed. */
export async function askOpinion(
  ask: AskModel,
  action: string,
  goal: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Opinion> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  const failed = (why: string): Opinion => ({
    destructive: true,
    reason: `second opinion ${why}; treated as destructive`,
    failed: true,
  });
  try {
    const answer = await Promise.race([ask(SECOND_OPINION_PROMPT, opinionText(action, goal), either), aborted(either)]);
    if (answer === undefined)
      return failed(timeout.aborted && !signal.aborted ? `timed out after ${timeoutMs} ms` : 'cancelled');
    if (!answer.ok) return failed('could not be had');
    const verdict = readAnswer(answer.text);
    if (verdict === 'YES') return { destructive: true, reason: 'LLM flagged as destructive', failed: false };
    if (verdict === 'NO') return { destructive: false, reason: 'second opinion: not destructive', failed: false };
    return failed('was neither YES nor NO');
  } catch {
    return failed('could not be had');
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
