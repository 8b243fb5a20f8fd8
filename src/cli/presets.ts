/** The configured models as presets for the broker; with none, what this machine has, or the demo (BR-6). */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DEMO_PRESET, discover, type Preset } from '../broker/index.ts';
import type { Config } from '../config/index.ts';

/** Loopback ports answer or refuse at once; this is for one that hangs. */
const DISCOVERY_MS = 400;
const KEY_COMMAND_MS = 10_000;

export type Presets = {
  readonly list: readonly Preset[];
  readonly active: string;
  /** A line for the user on where the model comes from, when they did not say. */
  readonly notice?: string;
};

type ModelConfig = Config['models'][string];
type Environment = Readonly<Record<string, string | undefined>>;

/** @param wanted the preset asked for by `--model`, before the configured one */
export async function choosePresets(config: Config, env: Environment, wanted: string | undefined): Promise<Presets> {
  const configured = Object.entries(config.models).map(([name, model]) => presetOf(name, model, env));
  if (configured.length > 0) {
    const list = configured.some((preset) => preset.name === 'demo') ? configured : [...configured, DEMO_PRESET];
    return { list, active: wanted ?? config.model ?? configured[0]?.name ?? 'demo' };
  }
  const found = await discover({ env, timeoutMs: DISCOVERY_MS });
  const [first] = found;
  if (!first) return { list: [DEMO_PRESET], active: wanted ?? 'demo' };
  const notice = `found ${first.label}: ${first.detail}; it is used as preset ${first.preset.name} (docs/guide.md says how to keep it)`;
  return { list: [...found.map((item) => item.preset), DEMO_PRESET], active: wanted ?? first.preset.name, notice };
}

function presetOf(name: string, model: ModelConfig, env: Environment): Preset {
  const {
    base_url: baseUrl,
    model: id,
    api_key_env: variable,
    api_key_cmd: command,
    context,
    fallback,
    secrets,
  } = model;
  const key =
    command !== undefined ? () => keyFrom(command) : variable !== undefined ? async () => env[variable] : undefined;
  return {
    name,
    baseUrl,
    model: id ?? name,
    ...(key === undefined ? {} : { apiKey: key }),
    ...(context === undefined ? {} : { context }),
    ...(fallback === undefined ? {} : { fallback }),
    ...(secrets === undefined ? {} : { secrets }),
  };
}

async function keyFrom(command: string): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { timeout: KEY_COMMAND_MS });
  return stdout.trim() || undefined;
}
