/** The secrets filter for the guard's stored text: loaded only after a denial. */
import { environmentSources, homeSources, SecretsFilter } from '../../secrets/index.ts';

/** Replaces known and recognisable secrets by handles. */
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
