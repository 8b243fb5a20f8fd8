/** `:setup`: what answers on this machine and which keys are there, tested, and written down by a yes (BR-6). */
import {
  discover,
  type Found,
  isAddress,
  isSameServer,
  lookAtAddress,
  type Preset,
  presetInfo,
  probeServer,
} from '../broker/index.ts';
import { type ModelConfig, writeModelChoice } from '../config/index.ts';
import type { SetupOffer, SetupPort, SetupProblem } from '../contracts/models.ts';
import type { Environment } from './environment.ts';
import { configOf } from './presets.ts';

/** For servers that take their time; nobody waits for it but who asked. In ms. */
const DISCOVERY_TIMEOUT_MS = 1500;
/** The same for an address that may be elsewhere. */
const ADDRESS_TIMEOUT_MS = 3500;

type Offered = {
  readonly offer: SetupOffer;
  readonly preset: Preset;
  readonly model: ModelConfig;
  /** What the configuration gets under the preset's name. */
  readonly change: Partial<ModelConfig>;
};

export function setupPort({ config, configFile, presets }: Environment): SetupPort {
  const offered = async (found: readonly Found[], wanted?: string): Promise<readonly Offered[]> => {
    const taken = new Set(Object.keys(config.models));
    const known = await Promise.all(found.map((each) => presetAt(config, each, wanted)));
    return found.map((each, at) => {
      const own = known[at];
      const name = own?.name ?? freeName(each, taken);
      taken.add(name);
      const id = own ? modelOf(own.model, each) : each.preset.model;
      // Its own address, key, window and policy: they belong together.
      const preset = { ...(presets.list.find((one) => own && one.name === name) ?? each.preset), model: id };
      const model = { ...(own?.model ?? configOf(each)), model: id };
      const { kind, label, keyVariable } = each;
      const offer: SetupOffer = {
        ...{ name, kind, label, model: id, address: preset.baseUrl },
        ...(keyVariable === undefined ? {} : { key: keyVariable }),
        ...(own ? { known: true } : {}),
        ...(preset.apiKey || presetInfo(preset).local ? {} : { unproven: true }),
      };
      return { offer, preset, model, change: own ? { model: id } : model };
    });
  };
  const look = async (wanted?: string) =>
    offered(await discover({ env: process.env, timeoutMs: DISCOVERY_TIMEOUT_MS }), wanted);
  /** By its name in the list, or at its address. A name may look like an address: `qwen2.5`. */
  const named = async (wanted: string, signal: AbortSignal): Promise<Offered | SetupProblem> => {
    const configured = Object.hasOwn(config.models, wanted);
    const problem = configured
      ? `${wanted} is configured, and was not found on this machine: :model ${wanted} uses it`
      : `nothing called ${wanted} was found; :setup lists what was`;
    if (configured || !isAddress(wanted))
      return (await look(wanted)).find(({ offer }) => offer.name === wanted) ?? { problem };
    const seen = await lookAtAddress(wanted, { signal, timeoutMs: ADDRESS_TIMEOUT_MS });
    return 'problem' in seen ? seen : ((await offered([seen]))[0] ?? { problem });
  };
  return {
    file: configFile,
    find: async () => (await look()).map(({ offer }) => offer),
    async test(wanted, signal) {
      const one = await named(wanted, signal);
      if ('problem' in one) return one;
      const { offer, preset, change } = one;
      const probe = await probeServer(preset, signal);
      return { offer, probe, written: JSON.stringify({ [offer.name]: change }, null, 2) };
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

/** The configured preset of a server that was found: the one that is called `wanted`, or the first. */
async function presetAt(
  { models }: Environment['config'],
  found: Found,
  wanted: string | undefined,
): Promise<{ readonly name: string; readonly model: ModelConfig } | undefined> {
  const look = { signal: AbortSignal.timeout(ADDRESS_TIMEOUT_MS), timeoutMs: DISCOVERY_TIMEOUT_MS };
  const all = Object.entries(models).map(([name, model]) => ({ name, model }));
  const same = await Promise.all(all.map(({ model }) => isSameServer(model.base_url, found, look)));
  const there = all.filter((_, at) => same[at]);
  return there.find(({ name }) => name === wanted) ?? there[0];
}

/** The model a preset has, unless its server lists others only. */
function modelOf({ model }: ModelConfig, { kind, models, preset }: Found): string {
  const stays = model !== undefined && (kind === 'key' || models.length === 0 || models.includes(model));
  return stays ? model : preset.model;
}

/** Its own name, or one that the user's configuration does not use for another address. */
function freeName({ preset, label }: Found, taken: ReadonlySet<string>): string {
  const own = label.toLowerCase().replace(/[^a-z0-9]+/g, '');
  const names = [preset.name, own, ...Array.from({ length: 20 }, (_, at) => `${own}${at + 2}`)];
  return names.find((name) => !taken.has(name)) ?? preset.name;
}
