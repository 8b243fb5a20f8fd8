import { useSyncExternalStore } from 'react';
import type { TranscriptItem } from '../src/engine/transcript.ts';
import { type Conversation, rootOf, type State } from '../src/session/state.ts';
import { useScreen } from './context.ts';

/** Returns what `select` picks from the engine's state; redraws only when that value changes. */
export function useSession<T>(select: (state: State) => T): T {
  const { app, onEngine } = useScreen();
  return useSyncExternalStore(onEngine, () => select(app.engine.state));
}

/** Returns what `select` picks from the user's conversation; redraws only when that value changes. */
export function useConversation<T>(select: (conversation: Conversation) => T): T {
  return useSession((state) => select(rootOf(state)));
}

/** Returns whether the transcript has grown since the entry with this key. */
export function useGrownSince(key: string | undefined): boolean {
  const { app, onEngine } = useScreen();
  const { transcript } = app.engine;
  return useSyncExternalStore(onEngine, () => key !== undefined && transcript.entries.at(-1)?.key !== key);
}

/** Returns the entries of the transcript. The list is changed in place, so hooks compare its version. */
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
