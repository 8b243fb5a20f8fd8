import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import type { LiveReply } from '../src/engine/live.ts';
import { openOffers } from '../src/ui/screen/offers.ts';
import type { Offers } from '../src/ui/screen/ui.ts';
import { useScreen, useUi } from './context.ts';
import { useConversation } from './useSession.ts';

/** Milliseconds until a server that did not answer is probed again; twice as long each time, up to the longest. */
const LOOK_AGAIN_MS = 3000;
const LONGEST_MS = 60_000;

/** Returns the reply in progress of the user's conversation, if there is one. `useFrames` reads its text. */
export function useBroker(): LiveReply | undefined {
  const { engine } = useScreen().app;
  const op = useConversation(({ phase }) =>
    phase.kind === 'replying' || phase.kind === 'stopping' ? phase.op : undefined,
  );
  return op === undefined ? undefined : engine.live.replies.get(op);
}

/** Returns whether text of the answer has arrived; redraws once, not for each token. */
export function useAnswering(): boolean {
  const reply = useBroker();
  const subscribe = useCallback((listener: () => void) => reply?.subscribe(listener) ?? (() => {}), [reply]);
  return useSyncExternalStore(subscribe, () => reply !== undefined && reply.text.length > 0);
}

/**
 * Returns why the server of a preset can't answer; '' if it can, undefined while that is unknown. While `looks`, it is
 * asked again until it can.
 */
export function useServerProblem(preset: string, looks: boolean): string | undefined {
  const { presets } = useScreen().app;
  const [seen, setSeen] = useState<{ readonly preset: string; readonly problem: string | undefined }>();
  useEffect(() => {
    if (!looks) return undefined;
    let timer: NodeJS.Timeout | undefined;
    let wait = LOOK_AGAIN_MS;
    const leaving = new AbortController();
    const { signal } = leaving;
    const look = async () => {
      const problem = await presets.problem(preset, signal).catch(() => undefined);
      if (signal.aborted) return;
      // An equal result keeps the old object, so that nothing is redrawn.
      setSeen((was) => (was?.preset === preset && was.problem === problem ? was : { preset, problem }));
      if (problem !== undefined) timer = setTimeout(() => void look(), wait).unref();
      wait = Math.min(2 * wait, LONGEST_MS);
    };
    // In a later turn: a key must not wait for the modules that the first request loads.
    const begin = setImmediate(() => void look());
    return () => {
      clearImmediate(begin);
      leaving.abort();
      clearTimeout(timer);
    };
  }, [presets, preset, looks]);
  return seen?.preset === preset ? (seen.problem ?? '') : undefined;
}

/** Returns the models that the start screen offers while `wanted`, unless the user has closed the list. */
export function useOffers(wanted: boolean): Offers | undefined {
  const screen = useScreen();
  useEffect(() => (wanted ? openOffers(screen) : undefined), [screen, wanted]);
  return useUi(({ offers }) => offers);
}
