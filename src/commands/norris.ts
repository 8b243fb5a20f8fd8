import { type Command, CommandError } from './command.ts';

/** `:norris <goal>` and `:norris off` (NO-1). Without a goal the last one is offered by the screen. */
export const norris: Command = {
  name: 'norris',
  usage: ':norris <goal> | off',
  summary: 'let the model work toward a goal, step by step; off ends it',
  arguments: () => ['off'],
  run({ engine }, rest) {
    const { phase, lastGoal } = engine.conversation;
    if (rest === 'off') {
      if (phase.kind === 'idle') return 'nothing is running';
      void engine.dispatch({ type: 'aborted' });
      return undefined;
    }
    if (phase.kind !== 'idle') throw new CommandError('a run is under way; :norris off ends it');
    if (rest === 'continue') throw new CommandError(':norris continue is not there yet; give the goal again');
    if (rest === '') {
      const offer = lastGoal === undefined ? '' : ` The last one was: ${lastGoal}`;
      throw new CommandError(`say what to do: :norris <goal>.${offer}`);
    }
    void engine.dispatch({ type: 'norrisStarted', goal: rest });
    return undefined;
  },
};
