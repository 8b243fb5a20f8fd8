/** `:setup`: what answers on this machine and which keys are there, tested, and written down by a yes (BR-6). */
import { discover, type Found, isAddress, lookAtAddress, probeServer } from '../broker/index.ts';
import { type ModelConfig, writeModelChoice } from '../config/index.ts';
import type { SetupOffer, SetupPort, SetupProblem } from '../contracts/models.ts';
import type { Environment } from './environment.ts';
import { configOf } from './presets.ts';

/** For servers that take their time; nobody waits for it but who asked. In ms. */
const DISCOVERY_TIMEOUT_MS = 1500;
/** The same for an address that may be elsewhere. */
const ADDRESS_TIMEOUT_MS = 3500;

type Offered = { readonly offer: SetupOffer; readonly found: Found; readonly model: ModelConfig };

export function setupPort({ config, configFile }: Environment): SetupPort {
  const offered = (found: readonly Found[]): readonly Offered[] => {
    const taken = new Map(Object.entries(config.models).map(([name, { base_url: url }]) => [name, trimmed(url)]));
    return found.map((each) => {
      const known = [...taken].find(([, url]) => url === trimmed(each.preset.baseUrl))?.[0];
      const name = known ?? freeName(each, taken);
      if (known === undefined) taken.set(name, trimmed(each.preset.baseUrl));
      const { kind, label, keyVariable } = each;
      const offer: SetupOffer = {
        ...{ name, kind, label, model: each.preset.model, address: each.preset.baseUrl },
        ...(keyVariable === undefined ? {} : { key: keyVariable }),
        ...(known === undefined ? {} : { known: true }),
      };
      return { found: each, model: configOf(each), offer };
    });
  };
  const look = async () => offered(await discover({ env: process.env, timeoutMs: DISCOVERY_TIMEOUT_MS }));
  /** By its name in the list, or at its address. */
  const named = async (wanted: string, signal: AbortSignal): Promise<Offered | SetupProblem> => {
    const problem = `nothing called ${wanted} was found; :setup lists what was`;
    if (!isAddress(wanted)) return (await look()).find(({ offer }) => offer.name === wanted) ?? { problem };
    const seen = await lookAtAddress(wanted, { signal, timeoutMs: ADDRESS_TIMEOUT_MS });
    return 'problem' in seen ? seen : (offered([seen])[0] ?? { problem });
  };
  return {
    file: configFile,
    find: async () => (await look()).map(({ offer }) => offer),
    async test(wanted, signal) {
      const one = await named(wanted, signal);
      if ('problem' in one) return one;
      const { offer, found, model } = one;
      const probe = await probeServer(found.preset, signal);
      return { offer, probe, written: JSON.stringify({ [offer.name]: model }, null, 2) };
    },
    async write(wanted, signal) {
      const one = await named(wanted, signal);
      if ('problem' in one) return one;
      const { name } = one.offer;
      const problem = writeModelChoice(configFile, name, one.model);
      return problem === undefined ? { name } : { problem };
    },
  };
}

/** Its own name, or one that the user's configuration does not use for another address. */
function freeName({ preset, label }: Found, taken: ReadonlyMap<string, string>): string {
  const own = label.toLowerCase().replace(/[^a-z0-9]+/g, '');
  const names = [preset.name, own, ...Array.from({ length: 20 }, (_, at) => `${own}${at + 2}`)];
  return names.find((name) => !taken.has(name)) ?? preset.name;
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}
