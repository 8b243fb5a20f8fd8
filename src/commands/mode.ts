import { CONSENT, type Consent, type EffectKind } from '../session/consent.ts';
import { MODES, type Mode } from '../session/ids.ts';
import { MODE_WORDS } from '../session/mode-words.ts';
import type { Conversation } from '../session/state.ts';
import type { App } from './app.ts';
import { startGoal } from './attachments.ts';
import { type Argument, type Command, CommandError } from './command.ts';

const EFFECTS: Readonly<Record<EffectKind, string>> = {
  reads: 'changes nothing',
  kept: 'undoable',
  other: 'of unknown effect',
  subAgent: 'a sub-agent’s task',
  server: 'a tool of an MCP server',
  credential: 'may show a key',
  leaves: 'leaves this machine',
  loses: 'loses something',
};
const ANSWERS: Readonly<Record<Consent, string>> = {
  run: 'runs',
  confirm: 'asks in a chat, as confirm_cmd says',
  ask: 'asks',
  once: 'asks once for each receiver',
  halt: 'halts',
};

/** Lists for each kind of consent the effects that need it in this mode. */
function consentLines(mode: Mode): readonly string[] {
  const kinds = Object.entries(CONSENT[mode]) as [EffectKind, Consent][];
  return (Object.keys(ANSWERS) as Consent[]).flatMap((consent) => {
    const effects = kinds.filter(([, each]) => each === consent).map(([kind]) => EFFECTS[kind]);
    return effects.length === 0 ? [] : [`  ${ANSWERS[consent]}: ${effects.join(', ')}`];
  });
}

/** `:mode` shows the mode, `:mode restricted|project|unrestricted` changes it (MO-4, MO-9). */
export const mode: Command = {
  name: 'mode',
  usage: ':mode [restricted | project | unrestricted]',
  group: 'agent',
  summary: 'show or change what the model may do',
  forms: MODES.map((name) => [`:mode ${name}`, MODE_WORDS[name].help]),
  arguments: () => MODES.map((word) => ({ word, note: MODE_WORDS[word].note })),
  run({ engine }, rest) {
    if (rest === '') {
      const { mode: now } = engine.conversation;
      return [`${now}: ${MODE_WORDS[now].answer}`, ...consentLines(now)].join('\n');
    }
    const chosen = MODES.find((word) => word === rest);
    if (chosen === undefined) throw new CommandError('use :mode restricted, :mode project or :mode unrestricted');
    if (chosen === engine.conversation.mode) return `already ${chosen}: ${MODE_WORDS[chosen].answer}`;
    void engine.dispatch({ type: 'modeChosen', mode: chosen });
    return undefined;
  },
};

/** How many earlier goals Tab offers. */
const MAX_OFFERED_GOALS = 8;

function verbs({ phase, lastGoal }: Conversation): readonly Argument[] {
  if (phase.kind !== 'idle') return [{ word: 'off', note: 'end the run' }];
  return lastGoal === undefined ? [] : [{ word: 'continue', note: lastGoal }];
}

/** Returns the latest goals in the history, without subcommands. */
function goals({ entries }: App['history']): readonly Argument[] {
  const said = entries().flatMap(
    (line) => /^\s*:norris\s+(?!(?:off|continue)\s*$)(\S.*)$/.exec(line)?.[1]?.trim() ?? [],
  );
  return [...new Set(said.reverse())].slice(0, MAX_OFFERED_GOALS).map((word) => ({ word, note: 'an earlier goal' }));
}

/** `:norris <goal>`, `:norris continue` and `:norris off` (NO-1). Without a goal the screen offers the last one. */
export const norris: Command = {
  name: 'norris',
  usage: ':norris <goal> | continue | off',
  group: 'agent',
  summary: 'let the model work toward a goal alone',
  forms: [
    [':norris find large files', 'start a run'],
    [':norris continue', 'continue the last goal'],
    [':norris off', 'end the run'],
  ],
  arguments: ({ engine, history }, before) =>
    before.length > 0 ? [] : [...verbs(engine.conversation), ...goals(history)],
  run(app, rest) {
    const { engine } = app;
    const { phase, lastGoal } = engine.conversation;
    if (rest === 'off') {
      if (phase.kind === 'idle') return 'nothing is running';
      void engine.dispatch({ type: 'aborted' });
      return undefined;
    }
    if (phase.kind !== 'idle') throw new CommandError('a run is already going: :norris off ends it');
    if (rest === 'continue') {
      if (lastGoal === undefined) throw new CommandError('no goal to continue yet: use :norris <goal>');
      void engine.dispatch({ type: 'norrisContinued' });
      return undefined;
    }
    if (rest === '') {
      const offer = lastGoal === undefined ? '' : ` The last one was: ${lastGoal}`;
      throw new CommandError(`name a goal: :norris <goal>.${offer}`);
    }
    void startGoal(app, rest);
    return undefined;
  },
};

/** `:net` (MO-10): where commands in Project mode may connect. */
export const net: Command = {
  name: 'net',
  usage: ':net [HOST[:PORT] | -HOST[:PORT]]',
  group: 'agent',
  summary: 'list where commands in Project mode may connect',
  forms: [
    [':net', 'list allowed and refused hosts'],
    [':net example.com:8443', 'allow it for this session; without a port: 443 and 80'],
    [':net -example.com:443', 'ask about it again'],
  ],
  async run({ network }, rest) {
    const word = rest.trim();
    if (word === '') {
      const rows = network
        .list()
        .map(([name, allowed, until]) => `${allowed ? 'allowed' : 'refused'}  ${name}${until ? ` (${until})` : ''}`);
      return rows.join('\n') || 'nothing is allowed yet: Project asks when a program connects';
    }
    const back = word.startsWith('-');
    const done = network.setNamed(back ? word.slice(1) : word, back ? undefined : true);
    if (done === undefined) throw new CommandError(`${word}: use :net HOST or :net HOST:PORT`);
    return `${done} ${back ? 'is asked about again' : 'is allowed for this session'}`;
  },
};
