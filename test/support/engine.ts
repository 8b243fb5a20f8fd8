/** An engine with a real broker and real commands, a journal in memory and a simple gate. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineSecrets } from '../../src/app/secrets-filter.ts';
import { type BrokerOptions, createBroker, type Preset } from '../../src/broker/index.ts';
import { DEFAULTS } from '../../src/config/config.ts';
import type { Gate } from '../../src/contracts/gate.ts';
import type { Services } from '../../src/contracts/services.ts';
import { Engine } from '../../src/engine/engine.ts';
import { runOnce } from '../../src/executor/model-command.ts';
import { SecretsFilter } from '../../src/secrets/index.ts';
import type { SessionEvent } from '../../src/session/event.ts';
import type { Settings } from '../../src/session/state.ts';
import { BASH, createTools, DELEGATE } from '../../src/tools/index.ts';
import { deadly, harmless, settings } from './machine.ts';

export type Bench = {
  readonly engine: Engine;
  readonly cwd: string;
  readonly journal: SessionEvent[];
  /** Resolves when `holds` returns true, checked after each change. */
  until(holds: () => boolean): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** `rm` in a command makes it destructive; everything else is harmless. */
const rmGate: Gate = {
  judge: (action) => Promise.resolve(action.kind === 'command' && /\brm\b/.test(action.command) ? deadly : harmless),
  onlyReads: (command) => /^(cat|ls|sleep)\b[^;&|]*$/.test(command),
  worksOverPipes: () => false,
  begin: () => Promise.resolve(true),
};

export function startEngine(
  preset: Preset,
  change: {
    gate?: Gate;
    services?: Partial<Services>;
    settings?: Partial<Settings>;
    /** Other presets besides the active one, and the broker’s behaviour. */
    presets?: readonly Preset[];
    broker?: Partial<BrokerOptions>;
  } = {},
): Bench {
  const cwd = mkdtempSync(join(tmpdir(), 'aish-engine-'));
  const journal: SessionEvent[] = [];
  const tools = createTools([BASH, DELEGATE], [], ['bash', 'delegate'], []);
  const services: Services = {
    models: createBroker({ presets: [preset, ...(change.presets ?? [])], ...change.broker }),
    gate: change.gate ?? rmGate,
    agent: {
      run: (command, options) =>
        Promise.resolve(
          runOnce({
            command,
            cwd: options.cwd,
            env: { PATH: process.env.PATH ?? '', ...options.env },
            columns: 80,
            rows: 24,
            dataDir: join(cwd, '.out'),
          }),
        ),
    },
    user: { run: () => Promise.reject(new Error('no shell here')) },
    jobs: { adopt: () => 1, release: () => {}, running: () => [], kill: () => false },
    tools,
    journal: {
      append: (event) => {
        journal.push(JSON.parse(JSON.stringify(event)));
        return Promise.resolve();
      },
      hasten() {},
    },
    secrets: engineSecrets(new SecretsFilter(), DEFAULTS),
    systemPrompt: 'You are aish.',
    maxAnswerTokens: 512,
    now: Date.now,
    waitSeconds: 60,
    ...change.services,
  };
  const engine = new Engine(services, 'main');
  void engine.dispatch({
    type: 'opened',
    cwd,
    mode: 'unrestricted',
    settings: { ...settings, preset: preset.name, maxNorrisSteps: 8, ...change.settings },
  });
  return {
    engine,
    cwd,
    journal,
    until: (holds) =>
      new Promise((resolve) => {
        const look = () => {
          if (!holds()) return;
          stop();
          resolve();
        };
        const stop = engine.subscribe(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      await engine.close();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}
