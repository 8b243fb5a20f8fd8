/** `:setup`: finds and tests a model at any time, and saves it to the configuration after a yes (BR-6). */

import type { SetupOffer } from '../contracts/models.ts';
import { shortPath } from '../text/display.ts';
import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';
import { stateOf } from './model.ts';

/** The time limit for testing a remote model, in ms. */
const TEST_TIMEOUT_MS = 8000;

const NOTHING = [
  'no server answers on the usual ports of this machine, and no key is in the environment',
  'start one (llama-server on port 8080, ollama on 11434), or set OPENAI_API_KEY or the like and start again',
] as const;

const UNPROVEN = 'it lists its models to everybody; to answer it may want a key: api_key_env in the configuration';

export const setup: Command = {
  name: 'setup',
  usage: ':setup [NAME|ADDRESS [yes]]',
  group: 'talk',
  summary: 'connect a model: found servers and keys',
  forms: [
    [':setup', 'list what was found; Enter tests one'],
    [':setup NAME', 'test it and show the configuration it needs'],
    [':setup http://gpu:8000/v1', 'do the same for a server at this address'],
    [':setup NAME yes', 'save it in your configuration and use it'],
  ],
  async arguments({ setup: port }, before) {
    if (before.length > 0) return before.length === 1 ? ['yes'] : [];
    return (await port.find()).map((offer) => ({ word: offer.name, note: noteOf(offer) }));
  },
  stops: (rest) => !rest.endsWith(' yes'),
  async run(app, rest, signal) {
    if (rest === '') return list(app);
    const [name = '', yes, ...more] = rest.split(/\s+/);
    if (more.length > 0 || (yes !== undefined && yes !== 'yes'))
      throw new CommandError(`use :setup ${name} to test it, then :setup ${name} yes`);
    return yes === undefined ? test(app, name, signal) : write(app, name, signal);
  },
};

async function list({ setup: port, screen }: App): Promise<string | undefined> {
  const offers = await port.find();
  if (offers.length === 0) return [...NOTHING, elsewhere(shortPath(port.file))].join('\n');
  const widest = Math.max(...offers.map(({ label }) => label.length));
  const rows = offers.map((offer) => ({
    line: `:setup ${offer.name}`,
    label: `${offer.label.padEnd(widest)}  ${offer.model}`,
    note: noteOf(offer),
  }));
  if (!screen) return rows.map(({ line, label, note }) => `${line}  ${label}  ${note}`).join('\n');
  screen.choose('setup', rows);
  return undefined;
}

function elsewhere(file: string): string {
  return `a server elsewhere, or on another port: :setup http://HOST:PORT tests it and writes it into ${file}`;
}

function noteOf({ kind, address, key, known }: SetupOffer): string {
  const where = kind === 'server' ? hostOf(address) : `key in ${key} · not contacted`;
  return known ? `${where} · configured` : where;
}

async function test({ setup: port, screen }: App, wanted: string, signal: AbortSignal): Promise<string> {
  const tested = await port.test(wanted, within(signal));
  if ('problem' in tested) throw new CommandError(tested.problem);
  const { offer, probe, written } = tested;
  const { label, model, address, key, name } = offer;
  const state = `${probe.reachable ? '✓' : '✗'} ${stateOf(probe)}`;
  const next = `:setup ${wanted} yes`;
  const how = screen?.suggest(next) ? 'Enter' : next;
  return [
    `${label} at ${hostOf(address)}, model ${model}: ${state}`,
    ...(offer.kind === 'key'
      ? [`what you ask, and what you run, goes there with the key in ${key}; secrets are replaced`]
      : []),
    ...(offer.unproven ? [UNPROVEN] : []),
    `${how} writes this into ${shortPath(port.file)}, and uses it from then on:`,
    ...(offer.known ? [`(only the model of ${name} changes; its address, its key and all else stay)`] : []),
    ...`"models": ${written},\n"model": "${name}"`.split('\n').map((line) => `  ${line}`),
  ].join('\n');
}

function within(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(TEST_TIMEOUT_MS)]);
}

async function write(
  { setup: port, sessions, engine, screen }: App,
  wanted: string,
  signal: AbortSignal,
): Promise<string> {
  const done = await port.write(wanted, within(signal));
  if ('problem' in done) throw new CommandError(done.problem);
  const { name } = done;
  const saved = `${name} is saved in ${shortPath(port.file)}`;
  if (!screen) return `${saved}; start again to use it`;
  await engine.dispatch({ type: 'noticed', level: 'info', text: saved });
  const why = sessions.again(name);
  return why === undefined ? saved : `${saved}; it is used from the next start on (${why})`;
}

/**
 * Tests a model, saves it in the configuration, and uses it from now on. Returns why that failed and what to do;
 * undefined on success.
 */
export async function connectModel(app: App, wanted: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TEST_TIMEOUT_MS);
  const tested = await app.setup.test(wanted, signal);
  if ('problem' in tested) return tested.problem;
  const { offer, probe } = tested;
  const mend =
    offer.key === undefined
      ? 'start its server, then press Enter'
      : `check ${offer.key} and the network, or choose another`;
  if (!probe.reachable) return `${offer.label}: ${probe.detail}; ${mend}`;
  const said = await write(app, wanted, signal);
  return app.sessions.next === undefined ? said : undefined;
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
