/** A model that wants to write in Restricted, and the answers to its questions. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Scratch } from './program.ts';
import type { Rig } from './rig.ts';
import { call, say } from './scripted-server.ts';

export const quiet = { safety: { llm_second_opinion: false } };

/** A model that tries to write, is blocked by the kernel, asks for the upgrade, and writes again after a yes. */
export const writer = () => [
  call('bash', { command: 'echo first > made.txt' }),
  call('request_mode_upgrade', { reason: 'to write made.txt' }),
  call('bash', { command: 'echo second > made.txt' }),
  say('That was it.\nGOAL: complete'),
];

export const made = (place: Scratch) => join(place.work, 'made.txt');

/** Says no to the program's own question, after the first write that was blocked. */
export async function decline(rig: Rig): Promise<void> {
  await rig.waitFor('Restricted mode blocked a write');
  await rig.waitFor(/all shown|Enter: /);
  rig.type('n');
}

export async function answer(rig: Rig, key: string): Promise<void> {
  await rig.waitFor('leave Restricted');
  await rig.waitFor('to write made.txt');
  await rig.waitFor(/all shown|Enter: /);
  rig.type(key);
}

const WITHOUT = pathToFileURL(join(import.meta.dirname, 'without-sandbox.mjs')).href;
export const withoutSandbox = (place: Scratch): Scratch => ({
  ...place,
  env: { ...place.env, NODE_OPTIONS: `--import ${WITHOUT}` },
});
