import { nearest } from '../session/nearest.ts';
import { type Command, CommandError } from './command.ts';

const PROBE_MS = 4000;

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** What becomes of secrets on their way to a model elsewhere. */
const POLICY = {
  off: 'secrets in it are sent as they are',
  scrub: 'secrets in it are replaced by handles',
  block: 'a request that holds a secret is not sent',
} as const;

/** `:model` lists presets with reachability and window, `:model NAME` switches (BR-3). */
export const model: Command = {
  name: 'model',
  usage: ':model [name | keep]',
  summary: 'list the models, switch to one, or keep the one that was found',
  arguments: (aish) => [
    ...aish.presets.list().map(({ name, model: note }) => ({ word: name, note })),
    { word: 'keep', note: 'write what was found into the configuration' },
  ],
  async run(aish, rest) {
    const { engine, presets } = aish;
    if (rest === 'keep') return presets.keep(engine.conversation.preset);
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
      const chosen = list.find((preset) => preset.name === rest);
      return chosen && !chosen.local
        ? `what you say and run now goes to ${hostOf(chosen.baseUrl)}; ${POLICY[chosen.secrets]}`
        : undefined;
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
