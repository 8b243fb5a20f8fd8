import type { Conversation } from '../session/state.ts';
import type { App } from './app.ts';
import { startGoal } from './attached.ts';
import { type Argument, type Command, CommandError } from './command.ts';

/** Earlier goals that Tab offers. */
const MAX_OFFERED_GOALS = 8;

function verbs({ phase, lastGoal }: Conversation): readonly Argument[] {
  if (phase.kind !== 'idle') return [{ word: 'off', note: 'end the run' }];
  return lastGoal === undefined ? [] : [{ word: 'continue', note: lastGoal }];
}

/** The newest goals in the history, without the subcommands. */
function goals({ entries }: App['history']): readonly Argument[] {
  const said = entries().flatMap(
    (line) => /^\s*:norris\s+(?!(?:off|continue)\s*$)(\S.*)$/.exec(line)?.[1]?.trim() ?? [],
  );
  return [...new Set(said.reverse())].slice(0, MAX_OFFERED_GOALS).map((word) => ({ word, note: 'an earlier goal' }));
}

/** `:norris <goal>`, `:norris continue` and `:norris off` (NO-1). Without a goal the last one is offered by the screen. */
export const norris: Command = {
  name: 'norris',
  usage: ':norris <goal> | continue | off',
  group: 'agent',
  summary: 'let the model work toward a goal by itself',
  forms: [
    [':norris find large files', 'begin'],
    [':norris continue', 'go on with the last goal'],
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
    if (phase.kind !== 'idle') throw new CommandError('a run is under way; :norris off ends it');
    if (rest === 'continue') {
      if (lastGoal === undefined) throw new CommandError('there is no goal to resume yet: :norris <goal>');
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
