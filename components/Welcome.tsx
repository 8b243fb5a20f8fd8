import { useScreen } from '../hooks/context.ts';
import { useShellCwd } from '../hooks/useExecutor.ts';
import { useConversation, usePreset, useTranscript } from '../hooks/useSession.ts';
import { shortPath } from '../src/screen/entries/frame.ts';
import { wrapText } from '../src/text/wrap.ts';

const MODE_LINES = {
  restricted: "RESTRICTED: the model's commands can read, not write; yours are not restricted. :mode changes it.",
  project: "PROJECT: the model's commands write in this tree only, and :undo takes it back; yours are not restricted.",
  unrestricted: undefined,
} as const;

/** The first minute: where you are, what can be typed, what is safe, who answers. Nothing once there is a transcript. */
export function useWelcome(columns: number): readonly string[] {
  const { paint } = useScreen();
  const { entries } = useTranscript();
  const preset = usePreset();
  const mode = useConversation((conversation) => conversation.mode);
  const cwd = useShellCwd();
  if (entries.some(({ entry }) => entry.kind !== 'notice')) return [];
  const model = preset.demo
    ? `Answers come from the built-in demo, a script: :model shows how to connect a real one.`
    : `Answers come from ${preset.name}${preset.model === undefined ? '' : ` (${preset.model})`}; :model lists and switches.`;
  return [
    `${paint('strong', 'aish-tui')} in ${shortPath(cwd)}: your shell and a model on one screen.`,
    'Type a command, or ask in plain words; Alt-S flips how a line is taken. Ctrl-N gives the model a goal.',
    'Nothing destructive that the model asks for runs before you have seen and approved it.',
    ...(MODE_LINES[mode] === undefined ? [] : [MODE_LINES[mode]]),
    `${model} F1 lists the keys.`,
  ].flatMap((line) => wrapText(line, columns).map((each) => paint('dim', each)));
}
