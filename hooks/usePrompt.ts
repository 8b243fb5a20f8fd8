import { useMemo } from 'react';
import { type EditorLayout, layoutEditor } from '../src/editor/layout.ts';
import { isEmpty } from '../src/editor/state.ts';
import type { Role } from '../src/render/theme.ts';
import { type PromptWidths, promptName, promptWidths } from '../src/screen/layout.ts';
import { useScreen, useUi } from './context.ts';
import { useSession } from './useSession.ts';

/** The text being typed as rows on the screen. */
export function useEditorLayout(columns: number): { readonly layout: EditorLayout; readonly widths: PromptWidths } {
  const { app } = useScreen();
  const editor = useUi((ui) => ui.editor);
  const name = useSession(() => promptName(app));
  return useMemo(() => {
    const widths = promptWidths(name, columns);
    return { layout: layoutEditor(editor, widths.width, widths.firstWidth), widths };
  }, [editor, name, columns]);
}

/** How the line will be taken (IN-3): with the key that changes it, and short for narrow screens. */
export type Verdict = { readonly long: string; readonly short: string; readonly role: Role };

const NAMES = { shell: 'shell', ai: 'ask', meta: 'command' } as const;
const ROLES = { shell: 'success', ai: 'accent', meta: 'marker' } as const;

/** The verdict on the line being typed; undefined while there is none. */
export function useVerdict(): Verdict | undefined {
  const screen = useScreen();
  const empty = useUi((ui) => isEmpty(ui.editor));
  const { kind, forced } = useUi(() => screen.route);
  const goal = useUi((ui) => ui.goalNext);
  return useMemo(() => {
    if (empty) return undefined;
    if (goal) return { long: '⚡ goal · Enter starts it, Esc cancels', short: '⚡ goal', role: 'accent' };
    const short = NAMES[kind];
    if (kind === 'meta' || forced) return { long: short, short, role: ROLES[kind] };
    return { long: `${short} · Alt-S: ${kind === 'shell' ? 'ask' : 'shell'}`, short, role: ROLES[kind] };
  }, [empty, kind, forced, goal]);
}
