import { createTrust, loadConfig, placesOf } from '../config/index.ts';
import { EXIT } from './exit-codes.ts';
import type { Writer } from './print.ts';
import type { Invocation } from './program.ts';

/** `aish-tui config` and `aish-tui config trust`. */
export async function showConfig(
  { global, trust: believe }: Extract<Invocation, { kind: 'config' }>,
  out: Writer,
  err: Writer,
): Promise<number> {
  const trust = createTrust(placesOf(process.env).state);
  const loaded = await loadConfig(global.config, process.env, { cwd: process.cwd(), trust });
  if (!loaded.ok) {
    err(`aish-tui: ${loaded.message}\n`);
    return EXIT.usage;
  }
  const { file, project, notices } = loaded;
  if (!believe) {
    out(`file     ${file ?? `none; it would be ${placesOf(process.env).config}`}\n`);
    out(`project  ${project?.path ?? 'none'}\n`);
    for (const line of notices) out(`${line}\n`);
    return EXIT.ok;
  }
  if (!project) {
    err('aish-tui: there is no .aish.jsonc in this directory or above it\n');
    return EXIT.usage;
  }
  if (!trust.add(project.path, project.text)) {
    err("aish-tui: the decision can't be saved; is the state directory writable?\n");
    return EXIT.usage;
  }
  out(`${project.path} is trusted until it changes\n`);
  return EXIT.ok;
}
