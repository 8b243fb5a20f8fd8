/** The lists of this folder that the launcher needs, as a header for its C files. */
import { CREDENTIAL_FILES, NO_CREDENTIALS } from './credential-files.ts';
import { GIT_OBEYS } from './git.ts';
import { spellOut } from './patterns.ts';

/** Returns each list as a macro: the elements of a NULL-terminated array of strings. */
export function knowledgeHeader(): string {
  const secret = CREDENTIAL_FILES.flatMap(spellOut);
  const lists: Readonly<Record<string, readonly string[]>> = {
    CREDENTIAL_NAMES: secret.filter((pattern) => !pattern.includes('/')),
    CREDENTIAL_PLACES: secret.filter((pattern) => pattern.includes('/')),
    NO_CREDENTIALS: NO_CREDENTIALS.flatMap(spellOut),
    GIT_OBEYS,
  };
  const macros = Object.entries(lists).map(
    ([name, strings]) => `#define ${name} ${strings.map((each) => JSON.stringify(each)).join(', ')}, NULL\n`,
  );
  return `/* Made from src/knowledge when the launcher is compiled. */\n${macros.join('')}`;
}
