import { useScreen } from '../hooks/context.ts';
import { useServerProblem } from '../hooks/useBroker.ts';
import { useShellCwd } from '../hooks/useExecutor.ts';
import { useConversation, usePreset, useSession, useTranscript } from '../hooks/useSession.ts';
import { shortPath } from '../src/text/short-path.ts';
import { welcomeLines } from '../src/ui/screen/welcome.ts';

/** The first minute, above the prompt; nothing once there is a transcript. */
export function useWelcome(columns: number): readonly string[] {
  const screen = useScreen();
  const { app } = screen;
  const { entries } = useTranscript();
  const preset = usePreset();
  const mode = useConversation((conversation) => conversation.mode);
  const branch = useSession(() => app.info().branch);
  const cwd = useShellCwd();
  const gone = entries.some(({ entry }) => entry.kind !== 'notice');
  const problem = useServerProblem(preset.name, !gone);
  if (gone) return [];
  const { version } = app.info();
  const place = `${shortPath(cwd)}${branch === undefined ? '' : `, git ${branch}`}`;
  const model = { name: preset.name, id: preset.model, demo: preset.demo === true, problem };
  return welcomeLines({ version, place, model, mode }, screen.renderContext(columns));
}
