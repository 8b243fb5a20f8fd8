import { type Command, CommandError } from './command.ts';

/** `:norris <goal>`, `:norris continue` and `:norris off` (NO-1). Without a goal the last one is offered by the screen. */
export const norris: Command = {
  name: 'norris',
  usage: ':norris <goal> | continue | off',
  summary: 'let the model work toward a goal, step by step; continue goes on with the last one, off ends it',
  arguments: () => ['continue', 'off'],
  run({ engine }, rest) {
    const { phase, lastGoal } = engine.conversation;
    if (rest === 'off') {
      if (phase.kind === 'idle') return 'nothing is running';
      void engine.dispatch({ type: 'aborted' });
      return undefined;
    }
    if (phase.kind !== 'idle') throw new CommandError('a run is under way; :norris off ends it');
    if (rest === 'continue') {
      if (lastGoal === undefined) throw new CommandError('there is no goal yet to go on with: :norris <goal>');
      void engine.dispatch({ type: 'norrisContinued' });
      return undefined;
    }
    if (rest === '') {
      const offer = lastGoal === undefined ? '' : ` The last one was: ${lastGoal}`;
      throw new CommandError(`say what to do: :norris <goal>.${offer}`);
    }
    void engine.dispatch({ type: 'norrisStarted', goal: rest });
    return undefined;
  },
};
