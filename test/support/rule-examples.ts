import { readFileSync } from 'node:fs';

/** An example of a rule: a line that the rule must report (`destructive`), or a look-alike that no rule may report. */
type Example = {
  readonly rule: string;
  /** The reason, only where several rules have one name. */
  readonly reason?: string;
  readonly label: 'destructive' | 'safe';
  readonly cmd: string;
};

export const RULE_EXAMPLES: readonly Example[] = readFileSync(new URL('../corpus/rules.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Example);

/** Returns the examples of one rule, in the order of the file. */
export function examplesOf(
  rule: { readonly name: string; readonly reason: string },
  label: Example['label'],
): string[] {
  return RULE_EXAMPLES.filter(
    (each) => each.rule === rule.name && each.label === label && (each.reason ?? rule.reason) === rule.reason,
  ).map(({ cmd }) => cmd);
}
