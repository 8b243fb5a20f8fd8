/** Scenes of the start of the program. */
import { enter, type Scene } from '../scene.ts';

export const START: readonly Scene[] = [
  {
    name: 'start',
    title: 'the first screen, with the demo model',
    play: ({ rig }) => rig.waitFor('F1 lists the keys'),
  },
  {
    name: 'start-preset',
    title: 'the first screen with a configured model',
    script: [],
    play: ({ rig }) => rig.waitFor('F1 lists the keys'),
  },
  {
    name: 'start-down',
    title: 'the first screen where the configured server is down',
    config: { models: { fast: { base_url: 'http://127.0.0.1:9/v1', model: 'qwen3-8b' } }, model: 'fast' },
    script: [],
    play: ({ rig }) => rig.waitFor('nothing answers'),
  },
  {
    name: 'start-found',
    title: 'the first screen where no model is configured: what was found',
    config: { models: {} },
    // A server is found in time or not, as the machine is busy.
    env: () => ({ OPENAI_API_KEY: 'sk-of-nobody', OPENROUTER_API_KEY: 'sk-of-nobody' }),
    play: ({ rig }) => rig.waitFor(/Enter tests it/),
  },
  {
    name: 'start-project',
    title: 'the first screen in Project mode',
    script: [],
    config: { mode: 'project' },
    play: ({ rig }) => rig.waitFor('F1 lists the keys'),
  },
  {
    name: 'start-unrestricted',
    title: 'the first screen in Unrestricted mode',
    script: [],
    config: { mode: 'unrestricted' },
    play: ({ rig }) => rig.waitFor('F1 lists the keys'),
  },
  {
    name: 'unknown-command',
    title: 'a `:` command that does not exist',
    play: (stage) => enter(stage, ':modle', /:model/),
  },
];
