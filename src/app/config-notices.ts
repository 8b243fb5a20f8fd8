/** What the user must know of a configuration that was read. */
import { fallbacksOf, type Preset } from '../broker/index.ts';
import type { Config, Loaded } from '../config/index.ts';

/** A project's file that wants more than an untrusted one may. */
export function projectNotice({ project }: Extract<Loaded, { ok: true }>): readonly string[] {
  return project && project.waiting.length > 0 ? ['aish-tui config trust believes it, after you have read it'] : [];
}

/** Presets that the configuration names and that are not there; what is used instead (PP-2, SF-4). */
export function presetNotices({ norris, safety }: Config, names: readonly string[], active: string): readonly string[] {
  const { executor } = norris;
  const opinion = safety.llm_second_opinion && active !== 'demo' && !names.includes(safety.llm_model);
  return [
    ...(executor !== undefined && !names.includes(executor)
      ? [`norris.executor: no preset is called ${executor}; ${active} is used`]
      : []),
    ...(opinion
      ? [`safety.llm_model: no preset is called ${safety.llm_model}; the active one gives the second opinion`]
      : []),
  ];
}

/** A fallback elsewhere that would get what its preset must not is not used (BR-4): better said before it is needed. */
export function fallbackNotices(presets: readonly Preset[]): readonly string[] {
  const byName = new Map(presets.map((preset) => [preset.name, preset]));
  return presets.flatMap((preset) =>
    fallbacksOf(preset, byName, true).barred.map(
      (other) =>
        `models.${preset.name}.fallback: ${other} is elsewhere and its "secrets" is weaker than that of ${preset.name}; it is not used`,
    ),
  );
}
