import type { Overlay as OverlayState } from '../src/ui/screen/overlay.ts';
import { Choices } from './Choices.tsx';
import { ConfirmAbort, FindField, GoalDialog } from './Dialogs.tsx';
import { HaltModal } from './HaltModal.tsx';
import { Help, WhichKey } from './Help.tsx';

/** What lies between the transcript and the prompt. */
export function Overlay({ overlay, columns }: { readonly overlay: OverlayState; readonly columns: number }) {
  if (overlay.kind === 'none') return null;
  if (overlay.kind === 'question') {
    const { words, question, layout } = overlay;
    return <HaltModal key={question.id} words={words} question={question} layout={layout} columns={columns} />;
  }
  if (overlay.kind === 'which') return <WhichKey pending={overlay.pending} columns={columns} rows={overlay.rows} />;
  const { panel, rows, ending } = overlay;
  switch (panel.kind) {
    case 'help':
      return <Help top={panel.top} columns={columns} rows={rows} />;
    case 'goal':
      return <GoalDialog text={panel.text} columns={columns} />;
    case 'confirmAbort':
      return <ConfirmAbort focus={panel.focus} columns={columns} />;
    case 'choices':
      return <Choices panel={panel} columns={columns} rows={rows - ending} ending={ending} />;
    case 'find':
      return <FindField text={panel.text} note={panel.note} filters={panel.filter !== undefined} columns={columns} />;
    case 'none':
    case 'scroll':
      return null;
  }
}
