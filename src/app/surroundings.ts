/** What besides the directory decides what a command does: the virtual environment, conda's, the cluster of kubectl. */
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readBeginning } from '../text/files.ts';
import { clean, plainText } from '../text/sanitize.ts';

const MAX_BYTES = 64 * 1024;
const MAX_NAME_CHARS = 24;

type Environment = Readonly<Record<string, string | undefined>>;

let kube: { readonly path: string; readonly changed: number; readonly context: string } | undefined;

/** `venv api · k8s prod`, from the exported environment of the user's shell; empty where there is none of them. */
export function surroundings(env: Environment): string {
  const venv = env.VIRTUAL_ENV_PROMPT ?? (env.VIRTUAL_ENV && basename(env.VIRTUAL_ENV));
  const parts = [
    ['venv', venv],
    ['conda', env.CONDA_DEFAULT_ENV],
    ['k8s', kubeContext(env)],
  ] as const;
  return parts.flatMap(([what, name]) => (name ? [`${what} ${short(name)}`] : [])).join(' · ');
}

/** Text of the environment and of files is hostile like any other. */
function short(name: string): string {
  const text = plainText(clean(name))
    .replace(/[()\s]+/g, ' ')
    .trim();
  return text.length > MAX_NAME_CHARS ? `${text.slice(0, MAX_NAME_CHARS - 1)}…` : text;
}

/** The current context of the first file that kubectl reads; read again when the file has changed. */
function kubeContext(env: Environment): string {
  const path = env.KUBECONFIG?.split(':')[0] || join(env.HOME ?? '/nonexistent', '.kube/config');
  try {
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (changed === undefined) return '';
    if (kube?.path !== path || kube.changed !== changed) {
      const context = /^current-context:\s*["']?([^"'\n]*)/m.exec(readBeginning(path, MAX_BYTES))?.[1]?.trim() ?? '';
      kube = { path, changed, context };
    }
    return kube.context;
  } catch {
    return '';
  }
}
