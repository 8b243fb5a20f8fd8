/** The secrets filter for what the guard keeps: loaded only when something was denied. */
import { environmentSources, homeSources, SecretsFilter } from '../../secrets/index.ts';

/** The text with handles in place of secrets that this machine knows or that look like one. */
export function hideSecrets(text: string): string {
  const filter = new SecretsFilter();
  const { env } = process;
  filter.learn(() => environmentSources(env));
  if (env.HOME) {
    const home = env.HOME;
    filter.learn(() => homeSources(home));
  }
  return filter.hide(text);
}
