/** `:setup`: what answers on this machine and which keys are there, tested, and written down by a yes (BR-6). */
import { discover, type Found, probeServer } from '../broker/index.ts';
import { type ModelConfig, writeModelChoice } from '../config/index.ts';
import type { SetupOffer, SetupPort } from '../contracts/models.ts';
import type { Environment } from './environment.ts';
import { configOf } from './presets.ts';

/** For servers that take their time; nobody waits for it but who asked. In ms. */
const DISCOVERY_TIMEOUT_MS = 1500;

type Offered = { readonly offer: SetupOffer; readonly found: Found; readonly model: ModelConfig };

export function setupPort({ config, configFile }: Environment): SetupPort {
  const look = async (): Promise<readonly Offered[]> => {
    const found = await discover({ env: process.env, timeoutMs: DISCOVERY_TIMEOUT_MS });
    const taken = new Map(Object.entries(config.models).map(([name, { base_url: url }]) => [name, trimmed(url)]));
    return found.map((each) => {
      const known = [...taken].find(([, url]) => url === trimmed(each.preset.baseUrl))?.[0];
      const name = known ?? freeName(each, taken);
      if (known === undefined) taken.set(name, trimmed(each.preset.baseUrl));
      const model = configOf(each);
      const { kind, label, keyVariable } = each;
      const offer = { name, kind, label, model: each.preset.model, address: each.preset.baseUrl };
      return {
        found: each,
        model,
        offer: {
          ...offer,
          ...(keyVariable === undefined ? {} : { key: keyVariable }),
          ...(known === undefined ? {} : { known: true as const }),
        },
      };
    });
  };
  const named = async (name: string) => (await look()).find(({ offer }) => offer.name === name);
  return {
    file: configFile,
    find: async () => (await look()).map(({ offer }) => offer),
    async test(name, signal) {
      const offered = await named(name);
      if (!offered) return undefined;
      const probe = await probeServer(offered.found.preset, signal);
      return { offer: offered.offer, probe, written: JSON.stringify({ [name]: offered.model }, null, 2) };
    },
    async write(name) {
      const offered = await named(name);
      if (!offered) return `${name} is no longer there`;
      return writeModelChoice(configFile, name, offered.model);
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
