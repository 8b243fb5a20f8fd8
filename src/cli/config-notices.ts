/** What the user must know of a configuration that was read. */
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
