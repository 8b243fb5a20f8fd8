import { useCallback, useSyncExternalStore } from 'react';
import type { LiveReply } from '../src/engine/live.ts';
import { useScreen } from './context.ts';
import { useConversation } from './useSession.ts';

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
