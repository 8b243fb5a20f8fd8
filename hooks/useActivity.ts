import { useRef } from 'react';
import { useScreen, useUi } from './context.ts';
import { useAnswering } from './useBroker.ts';
import { useAsking, useExecutor } from './useExecutor.ts';
import { activityOf } from './useNorris.ts';
import { useConversation, useSession } from './useSession.ts';

/** What the model's side does, where that has a row of its own: not while the user is asked, and not in the least of screens. */
export function useWaits(): Activity | undefined {
  const activity = useActivity();
  const idle = useConversation(({ phase }) => phase.kind === 'idle');
  const hidden = useUi(({ question, size }) => question !== undefined || size.rows < MIN_ROWS);
  return idle || hidden || activity?.what === 'waits for you' ? undefined : activity;
}

/** What comes with the question that is typed, where there is room to say it. */
export function useAttached() {
  return useUi(({ question, size, attached }) => (question || size.rows < MIN_ROWS ? undefined : attached));
}

/** Below so many rows the bar alone says it. */
const MIN_ROWS = 8;

export type Activity = { readonly what: string; readonly since: number };

/** What is going on now and since when (ms); undefined when nothing is. */
export function useActivity(): Activity | undefined {
  const { now } = useScreen().app.engine.services;
  const { models } = useExecutor();
  const asking = useAsking(models);
  const doing = useSession((state) => activityOf(state) ?? (state.shell.running ? 'running' : undefined));
  const answering = useAnswering();
  const what = asking ? 'waits for you' : doing === 'thinking' && answering ? 'answering' : doing;
  const current = useRef<Activity>(undefined);
  if (current.current?.what !== what) current.current = what === undefined ? undefined : { what, since: now() };
  return current.current;
}
