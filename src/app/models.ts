/** The broker as the rest of the program sees it: secrets filtered, costs counted, servers started when needed. */
import { join } from 'node:path';
import { createBroker, type Preset, presetInfo } from '../broker/index.ts';
import { type ModelConfig, placesOf } from '../config/index.ts';
import type { Broker } from '../contracts/models.ts';
import type { SecretsFilter } from '../secrets/index.ts';
import { type CostMeter, createCostMeter } from './costs.ts';
import type { Environment } from './environment.ts';
import type { OwnStarts } from './own-starts.ts';
import { countingTrueTexts, learningKey, preparedFor } from './secrets-filter.ts';
import { serveCommands, serving } from './serve.ts';
import type { SessionBus } from './session-bus.ts';

type OpenModels = {
  readonly broker: Broker;
  readonly costs: CostMeter;
  /** Ends the servers that were started. */
  stopServers(): Promise<void>;
};

export function openModels(
  { config, configFile, presets, session }: Environment,
  filter: SecretsFilter,
  bus: SessionBus,
  starts: OwnStarts,
): OpenModels {
  const { state } = placesOf(process.env);
  const costs = createCostMeter({
    config,
    configFile,
    stateDir: state,
    session: session.id,
    presets: presets.list.map(presetInfo),
    bus,
  });
  const unserved = createBroker({
    presets: presets.list.map((preset) =>
      learningKey(filter, withKeyAsked(preset, config.models[preset.name], starts)),
    ),
    prepare: (name, messages) => {
      const refused = costs.refusal(name);
      const preset = presets.list.find((candidate) => candidate.name === name);
      if (refused !== undefined) return { refused };
      return preset ? preparedFor(filter, preset, messages) : { refused: `there is no preset called ${name}` };
    },
  });
  const { broker, stop: stopServers } = serving(
    countingTrueTexts(costs.metered(unserved), filter, presets.list),
    serveCommands(config.models),
    (name) => join(state, `serve-${name.replace(/\W/g, '_')}.log`),
    (text) => bus.notice('info', text),
    (name, line) => starts.mayStart({ name: `the server of ${name}`, words: [line] }),
  );
  return { broker, costs, stopServers };
}

/** A command that prints a key is started only where it may be; else there is no key. */
function withKeyAsked(preset: Preset, model: ModelConfig | undefined, starts: OwnStarts): Preset {
  const { apiKey } = preset;
  const line = model?.api_key_cmd;
  if (line === undefined || !apiKey) return preset;
  const command = { name: `the command for the key of ${preset.name}`, words: [line] };
  return { ...preset, apiKey: async () => ((await starts.mayStart(command)) ? apiKey() : undefined) };
}
