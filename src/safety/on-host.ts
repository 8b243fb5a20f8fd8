/**
 * Commands for a host. Where nothing holds them there, whatever is not proven safe asks. The verdict comes from the text
 * alone: what a host tells of its files is shown in the HALT and can soften nothing.
 */
import type { Judgement } from '../session/action.ts';
import { type JudgeOptions, judgeCommand } from './judge.ts';
import type { StaticVerdict } from './verdict.ts';

/** Ways to read files that the text does not name: which ones, only the host could tell. */
const READS_UNNAMED = /[*?[{~$`]|\s-[a-zA-Z]*[rR]|--recursive|\b(?:rg|ag|find|tar|zip|cpio|rsync)\b/;

type Rules = Pick<JudgeOptions, 'userPatterns' | 'disabledRules' | 'localModel'> & {
  /** Old states of what it changes are kept there, by the host’s word. */
  /** Where the kernel there holds the command: decides on what the tables leave open, as here. */
  readonly kept?: boolean;
  readonly ask?: (verdict: StaticVerdict) => Promise<Judgement>;
};

/** Never rejects. */
export async function judgeOnHost(
  command: string,
  host: string,
  { ask, kept = false, ...rules }: Rules,
): Promise<Judgement> {
  const judged = judgeCommand(command, { ...rules, localModel: true });
  const { verdict, reason, rule, findings } = judged;
  const answer: Judgement | undefined =
    verdict === 'safe'
      ? { destructive: false, reason, source: 'static' }
      : verdict === 'unknown'
        ? await ask?.(judged)
        : undefined;
  if (answer?.destructive) return answer;
  if (!answer) {
    const why =
      verdict === 'destructive'
        ? reason
        : `${reason}; nothing holds it on ${host}, ${kept ? 'and :undo takes back what it changes there' : 'and nothing is kept there'}`;
    const source = rule?.startsWith('user: ') ? 'user-pattern' : 'static';
    const facts = { ...(rule === undefined ? {} : { rule }), ...(findings.length > 0 ? { findings } : {}) };
    return { destructive: true, reason: why, source, ...facts };
  }
  const shows = rules.localModel !== true && (judged.credential || READS_UNNAMED.test(command));
  return { ...answer, ...(shows ? { credential: true } : {}) };
}
