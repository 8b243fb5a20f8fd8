import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import type { LiveReply } from '../src/engine/live.ts';
import { useScreen } from './context.ts';
import { useConversation } from './useSession.ts';

/** Between two looks at a server that did not answer. In ms. */
const LOOK_AGAIN_MS = 3000;

/** The reply that is being written in the user's conversation, if one is. Its text is read with `useFrames`. */
export function useBroker(): LiveReply | undefined {
  const { engine } = useScreen().app;
  const op = useConversation(({ phase }) =>
    phase.kind === 'replying' || phase.kind === 'stopping' ? phase.op : undefined,
  );
  return op === undefined ? undefined : engine.live.replies.get(op);
}

/** Whether words of the answer have come: draws once when they begin, not for each. */
export function useAnswering(): boolean {
  const reply = useBroker();
  const subscribe = useCallback((listener: () => void) => reply?.subscribe(listener) ?? (() => {}), [reply]);
  return useSyncExternalStore(subscribe, () => reply !== undefined && reply.text.length > 0);
}

/** Why the server of a preset can't answer, as long as somebody looks; asked again until it does. */
export function useServerProblem(preset: string, looks: boolean): string | undefined {
  const { presets } = useScreen().app;
  const [seen, setSeen] = useState<{ readonly preset: string; readonly problem: string | undefined }>();
  useEffect(() => {
    if (!looks) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    const look = async () => {
      const problem = await presets.problem(preset, signal).catch(() => undefined);
      if (signal.aborted) return;
      // The same again is drawn once.
      setSeen((was) => (was?.preset === preset && was.problem === problem ? was : { preset, problem }));
      if (problem !== undefined) timer = setTimeout(() => void look(), LOOK_AGAIN_MS).unref();
    };
    // In a turn of its own: a key must not wait for what a first request loads behind what the first picture takes.
    const begin = setImmediate(() => void look());
    return () => {
      clearImmediate(begin);
      leaving.abort();
      clearTimeout(timer);
    };
  }, [presets, preset, looks]);
  return seen?.preset === preset ? seen.problem : undefined;
}
