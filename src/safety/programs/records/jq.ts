import { hasUnknown } from '../../shell/taint.ts';
import { type StaticVerdict, unknown } from '../../verdict.ts';

/** `env` and `$ENV` as jq's own words, not as the name of a field or in a text. */
const ENVIRONMENT = /\$ENV\b|(^|[^.\w$"])env\b/;

/** The verdict on a program in the language of jq, wherever it stands: it runs and writes nothing, and may show the environment. */
export function judgeJq(code: string): StaticVerdict | undefined {
  if (hasUnknown(code)) return unknown('a program for jq that is not known');
  if (/(^|[^.\w$])(include|import)\b/.test(withoutTexts(code)))
    return unknown('a program for jq that takes in another');
  return ENVIRONMENT.test(code) ? unknown('shows the environment, with what it holds of credentials') : undefined;
}

/** The code without what stands in quotes, where nothing is interpolated. */
function withoutTexts(code: string): string {
  return code.includes('\\(') ? code : code.replace(/"(?:[^"\\]|\\[\s\S]?)*(?:"|$)/g, '""');
}
