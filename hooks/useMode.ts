import type { Mode } from '../src/session/ids.ts';
import { useScreen } from './context.ts';
import { useConversation } from './useSession.ts';

/** The conversation's mode, and whether the kernel sandbox that Restricted needs is there (MO-1). */
export function useMode(): { readonly mode: Mode; readonly sandbox: boolean } {
  const mode = useConversation((conversation) => conversation.mode);
  return { mode, sandbox: useScreen().app.info().sandbox };
}
