/** Keys while the keyboard moves the transcript. */
import { NO_PANEL } from '../ui.ts';
import type { Handlers } from './handler.ts';

export const transcriptHandlers: Handlers = {
  leaveTranscript(screen) {
    screen.ui.update({ panel: NO_PANEL });
    screen.view.end();
  },
  scrollHalfUp: (screen) => screen.view.halfPage(-1),
  scrollHalfDown: (screen) => screen.view.halfPage(1),
  entryPrevious: (screen) => screen.view.entry(-1),
  entryNext: (screen) => screen.view.entry(1),
};
