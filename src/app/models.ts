/** The broker as the rest of the program sees it: secrets filtered, costs counted, servers started when needed. */
import { join } from 'node:path';
import { createBroker, presetInfo } from '../broker/index.ts';
import { placesOf } from '../config/index.ts';
import type { Broker } from '../contracts/models.ts';
import type { SecretsFilter } from '../secrets/index.ts';
import { type CostMeter, createCostMeter } from './costs.ts';
import type { Environment } from './environment.ts';
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
    presets: presets.list.map((preset) => learningKey(filter, preset)),
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
  );
  return { broker, costs, stopServers };
}
