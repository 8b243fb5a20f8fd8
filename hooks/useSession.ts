import { useSyncExternalStore } from 'react';
import type { TranscriptItem } from '../src/engine/transcript.ts';
import { type Conversation, rootOf, type State } from '../src/session/state.ts';
import { useScreen } from './context.ts';

/** What `select` picks from the engine's state; draws again only when that is another value. */
export function useSession<T>(select: (state: State) => T): T {
  const { app, onEngine } = useScreen();
  return useSyncExternalStore(onEngine, () => select(app.engine.state));
}

/** The same of the user's conversation. */
export function useConversation<T>(select: (conversation: Conversation) => T): T {
  return useSession((state) => select(rootOf(state)));
}

/** Whether anything was said since the entry with this key. */
export function useSaidSince(key: string | undefined): boolean {
  const { app, onEngine } = useScreen();
  const { transcript } = app.engine;
  return useSyncExternalStore(onEngine, () => key !== undefined && transcript.entries.at(-1)?.key !== key);
}

/** The entries of the transcript. The list is changed in place, so its version is what is watched. */
export function useTranscript(): { readonly entries: readonly TranscriptItem[]; readonly version: number } {
  const { app, onEngine } = useScreen();
  const { transcript } = app.engine;
  const version = useSyncExternalStore(onEngine, () => transcript.version);
  return { entries: transcript.entries, version };
}

/** The preset that answers: its name, its model, and whether it is the demo. */
export function usePreset(): { readonly name: string; readonly model?: string; readonly demo?: boolean } {
  const { presets } = useScreen().app;
  const name = useConversation((conversation) => conversation.preset);
  return presets.list().find((each) => each.name === name) ?? { name };
}
