import { existsSync, readFileSync } from 'node:fs';
import { createBroker } from '../broker/index.ts';
import { loadConfig, placesOf } from '../config/index.ts';
import { detectSandbox } from '../effects/sandbox/index.ts';
import { describeShell } from '../executor/index.ts';
import { bytesText } from '../text/spelled.ts';
import { LAUNCHER, nameNotices } from './environment.ts';
import { type GlobalOptions, VERSION } from './options.ts';
import { choosePresets, isUnasked, UNASKED } from './presets.ts';
import { cachesIn } from './project-caches.ts';
import { effectsOutside } from './undo.ts';

const PROBE_TIMEOUT_MS = 4000;

/** One dependency of the program: it works, it failed, or it is optional and missing. */
export type Examined = { readonly name: string; readonly state: 'ok' | 'failed' | 'missing'; readonly text: string };

const MARKS = { ok: 'ok ', failed: 'NO ', missing: '   ' } as const;

/** Formats a dependency as one line. */
export function examinedLine({ name, state, text }: Examined): string {
  return `${MARKS[state]} ${name.padEnd(9)} ${text}`;
}

/** Checks each dependency of the program (SB-3). Resolves to whether all of them work. */
export async function examine(global: GlobalOptions, tell: (examined: Examined) => void): Promise<boolean> {
  let fine = true;
  const line = (name: string, good: boolean, text: string) => {
    fine &&= good;
    tell({ name, state: good ? 'ok' : 'failed', text });
  };
  const part = (name: string, works: boolean, text: string) => tell({ name, state: works ? 'ok' : 'missing', text });
  line('program', true, `aish-tui ${VERSION} on Node ${process.versions.node}, ${systemName()}`);
  const loaded = await loadConfig(global.config, process.env);
  const shell = describeShell((loaded.ok ? loaded.config.shell : undefined) ?? process.env.SHELL, process.env.HOME);
  line('shell', shell.good, shell.text);
  line(
    'config',
    loaded.ok,
    loaded.ok ? (loaded.file ?? `none at ${placesOf(process.env).config}; defaults`) : loaded.message,
  );
  if (loaded.ok) {
    const presets = await choosePresets(loaded.config, process.env, global.model);
    for (const text of nameNotices(loaded.config, presets)) part('config', false, text);
    const broker = createBroker({ presets: presets.list });
    for (const preset of broker.presets()) {
      const { name, model } = preset;
      const probe = isUnasked(presets, preset, presets.active)
        ? UNASKED
        : await broker.probe(name, AbortSignal.timeout(PROBE_TIMEOUT_MS));
      line('model', probe.reachable || probe.unasked === true, `${name} (${model}): ${probe.detail}`);
    }
  }
  const sandbox = await detectSandbox({ launcher: LAUNCHER });
  line(
    'sandbox',
    sandbox.available,
    sandbox.available ? `Landlock ABI ${sandbox.landlockAbi}: file system and network enforced` : `${sandbox.why}`,
  );
  part(
    'project',
    sandbox.noProject === undefined,
    sandbox.noProject ?? 'Project mode: the tree of a project can be written, nothing else',
  );
  const caches = await cachesIn(placesOf(process.env).cache);
  const cached = bytesText(caches.reduce((sum, { bytes }) => sum + bytes, 0));
  if (caches.length > 0)
    part(
      'caches',
      true,
      `packages of ${caches.length} project${caches.length === 1 ? '' : 's'}: ${cached} (disk.caches_mb)`,
    );
  if (sandbox.projectMissing !== undefined) part('project', false, `in part: ${sandbox.projectMissing}`);
  for (const lacking of sandbox.missing) part('sandbox', false, `in part: ${lacking}`);
  if (loaded.ok) {
    const { store, trials } = effectsOutside(loaded.config);
    part('undo', (await store.unavailable()) === undefined, await store.describe());
    const tried = await trials.unavailable();
    part('try', tried === undefined, tried ?? 'works: a command can be tried before it runs');
  }
  return fine;
}

// Describes this machine in a few words, since the sandbox and undo depend on it.

type Look = {
  readonly platform: string;
  readonly arch: string;
  /** Reads a small file; undefined if that fails. */
  readonly read: (path: string) => string | undefined;
  readonly exists: (path: string) => boolean;
};

/** Files that Docker and Podman leave in a container's root. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv'];

/** Returns `linux x64`, followed by the container or virtual machine if known. */
export function systemName(look: Look = here): string {
  const { platform, arch, read, exists } = look;
  const name = `${platform} ${arch}`;
  if (platform !== 'linux') return name;
  // WSL 1 writes "Microsoft" with a capital, WSL 2 in lower case.
  const version = read('/proc/version') ?? '';
  if (/microsoft-standard|WSL2/.test(version)) return `${name}, in WSL 2`;
  if (version.includes('Microsoft')) return `${name}, in WSL 1, which has no kernel for a sandbox: use WSL 2`;
  const inContainer =
    CONTAINER_FILES.some(exists) || /^container=/m.test((read('/proc/1/environ') ?? '').replaceAll('\0', '\n'));
  return inContainer ? `${name}, in a container` : name;
}

const here: Look = {
  platform: process.platform,
  arch: process.arch,
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
  exists: existsSync,
};
