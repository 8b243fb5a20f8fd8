import { useRef } from 'react';
import { useScreen } from './context.ts';
import { useAnswering } from './useBroker.ts';
import { useAsking, useExecutor } from './useExecutor.ts';
import { activityOf } from './useNorris.ts';
import { useSession } from './useSession.ts';

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
