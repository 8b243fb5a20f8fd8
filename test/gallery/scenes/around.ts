/** Getting around: lists, help, what is kept. */
import { enter, press, type Scene } from '../scene.ts';

const told = (name: string, line: string, title: string, seen: RegExp): Scene => ({
  name,
  title,
  script: [],
  play: (stage) => enter(stage, line, seen),
});

export const AROUND: readonly Scene[] = [
  {
    name: 'palette',
    title: 'everything there is, found by a few letters',
    play: (stage) => press(stage, ['f2'], /everything/),
  },
  {
    name: 'palette-typed',
    title: 'the list after three letters',
    async play(stage) {
      await press(stage, ['f2'], /everything/);
      stage.rig.type('mod');
      await stage.rig.waitFor(/mod[\s\S]*:mode|:mode[\s\S]*mod/);
    },
  },
  { name: 'keys', title: 'the keys', play: (stage) => press(stage, ['f1'], /Esc closes/) },
  told('help', ':help', 'the `:` commands', /:quit/),
  told('model', ':model', 'the models, and whether they answer', /scripted/),
  told('cost', ':cost', 'what it has cost', /❯ :cost[\s\S]*│/),
  told('safety', ':safety check rm -rf /tmp/x', 'what the gate would say', /destructive/),
  told('mode-shown', ':mode', 'the mode and what it lets through', /Restricted|RESTRICTED/),
];
