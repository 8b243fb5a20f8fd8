import type { PresetInfo, Probe } from '../contracts/models.ts';
import { nearest } from '../text/matching.ts';
import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';

/** The time limit for all probes together, in ms. */
const PROBE_TIMEOUT_MS = 3000;

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Describes the secrets policy of a remote preset. */
const POLICY = {
  off: 'secrets in it are sent as they are',
  scrub: 'secrets in it are replaced by handles',
  block: 'a request with a secret is not sent',
} as const;

const HOW_TO_CONNECT = [
  ':setup looks for servers on this machine and keys in the environment, and connects one;',
  'or write it into ~/.config/aish/config.jsonc and start again: { "models": { "fast": { "base_url": "http://127.0.0.1:8080/v1" } } }',
] as const;

/** `:model` lists presets with reachability and window; `:model NAME` switches (BR-3). */
export const model: Command = {
  name: 'model',
  usage: ':model [name | keep | reset]',
  group: 'talk',
  summary: 'list the models, or switch to one',
  forms: [
    [':model fast', 'switch to it'],
    [':model keep', 'save the one that was found'],
    [':model reset', 'forget context sizes learned from errors'],
  ],
  arguments: (app) => [
    ...app.presets.list().map(({ name, model: note }) => ({ word: name, note })),
    { word: 'keep', note: 'save the model that was found' },
    { word: 'reset', note: 'forget context sizes learned from errors' },
  ],
  stops: (rest) => rest === '',
  async run(app, rest, stopped) {
    const { engine, presets } = app;
    if (rest === 'keep') return presets.keep(engine.conversation.preset);
    if (rest === 'reset') {
      presets.forgetWindows();
      return 'context sizes come from the configuration or the servers again';
    }
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
    const rows = await rowsOf(app, list, stopped);
    return (list.every(({ demo }) => demo) ? [...rows, ...HOW_TO_CONNECT] : rows).join('\n');
  },
};

/** Probes all presets in parallel. A slow one is shown as such, and the prompt does not wait. */
async function rowsOf(
  { engine, presets }: App,
  list: readonly PresetInfo[],
  stopped: AbortSignal,
): Promise<readonly string[]> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(PROBE_TIMEOUT_MS)]);
  const probes = await Promise.all(list.map(({ name }) => presets.probe(name, signal)));
  const { preset: active, phase } = engine.conversation;
  const running = phase.kind === 'idle' ? undefined : phase.run.preset;
  const [names, models] = [widest(list.map(({ name }) => name)), widest(list.map((preset) => preset.model))];
  return list.map(({ name, model: id, local, baseUrl }, index) => {
    // The flash is two cells wide.
    const mark = `${name === active ? '*' : ' '}${name === running ? '⚡' : '  '}`;
    const where = local ? '' : `  ${hostOf(baseUrl)}`;
    return `${mark} ${name.padEnd(names)}  ${id.padEnd(models)}  ${stateOf(probes[index])}${learnedNote(presets.learnedWindow(name))}${where}`;
  });
}

function learnedNote(tokens: number | undefined): string {
  return tokens === undefined
    ? ''
    : `, ${tokens.toLocaleString('en-US')} learned from an error (:model reset forgets it)`;
}

/** Describes a model's reachability and window in a line. */
export function stateOf(probe: Probe | undefined): string {
  if (probe?.unasked) return probe.detail;
  if (!probe?.reachable) return `not reachable: ${probe?.detail ?? 'no answer'}`;
  const window = probe.window === undefined ? '' : `, window ${probe.window.toLocaleString('en-US')} tokens`;
  return /^answers(?:;|$)/.test(probe.detail) && window !== '' ? `ready${window}` : `${probe.detail}${window}`;
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length));
}
