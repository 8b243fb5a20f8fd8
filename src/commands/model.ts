import { nearest } from '../session/nearest.ts';
import { type Command, CommandError } from './command.ts';

const PROBE_MS = 4000;

/** `:model` lists presets with reachability and window, `:model NAME` switches (BR-3). */
export const model: Command = {
  name: 'model',
  usage: ':model [name]',
  summary: 'list the models, or switch to one',
  arguments: (aish) => aish.presets.list().map((preset) => preset.name),
  async run(aish, rest) {
    const { engine, presets } = aish;
    const list = presets.list();
    if (rest !== '') {
      const names = list.map((preset) => preset.name);
      if (!names.includes(rest)) {
        const guess = nearest(rest, names);
        throw new CommandError(
          `no preset is called ${rest}${guess ? `; did you mean ${guess}?` : `: ${names.join(', ')}`}`,
        );
      }
      void engine.dispatch({ type: 'presetChosen', preset: rest });
      return undefined;
    }
    const signal = AbortSignal.timeout(PROBE_MS);
    const rows = await Promise.all(
      list.map(async (preset) => {
        const active = preset.name === engine.conversation.preset ? '*' : ' ';
        return `${active} ${preset.name.padEnd(10)} ${preset.model.padEnd(24)} ${await presets.probe(preset.name, signal)}`;
      }),
    );
    return rows.join('\n');
  },
};
