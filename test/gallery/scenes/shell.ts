/** The shell: lines, output, commands that run. */
import { enter, press, type Scene } from '../scene.ts';

const LOG = Array.from({ length: 60 }, (_, n) => `10.0.0.${n % 7} GET /cart ${n % 9 === 4 ? 500 : 200}`).join('\n');
const FILES = { 'src/main.c': 'int main(void) { return 0; }\n', 'src/util.c': 'int util;\n', 'access.log': `${LOG}\n` };

export const SHELL: readonly Scene[] = [
  {
    name: 'output',
    title: 'commands and their output',
    files: FILES,
    async play(stage) {
      await enter(stage, 'ls', /src\n[\s\S]*❯ ls .*✓|❯ ls .*✓/);
      await enter(stage, 'grep -c 500 access.log', /❯ grep .*✓/);
    },
  },
  {
    name: 'failed',
    title: 'a command that failed, and the key that asks about it',
    files: FILES,
    play: (stage) => enter(stage, 'cat nothere.txt', /✗ 1 /),
  },
  {
    name: 'not-found',
    title: 'a program that is not there',
    play: (stage) => enter(stage, '!gti status', /✗ 127 /),
  },
  {
    name: 'folded',
    title: 'a long output, folded',
    files: FILES,
    async play(stage) {
      await enter(stage, 'cat access.log', /❯ cat .*✓/);
      await press(stage, ['ctrl-o'], /60 lines · Ctrl-O/);
    },
  },
  {
    name: 'running',
    title: 'a command that runs',
    play: (stage) => enter(stage, 'echo compiling; sleep 1000', /compiling\n/),
  },
  {
    name: 'asks',
    title: 'a command that asks: the keyboard is its own',
    play: (stage) => enter(stage, 'read -p "Really? [y/N] " a', /Really\? \[y\/N\][\s\S]*Ctrl-\]/),
  },
  {
    name: 'password',
    title: 'a command that reads a password',
    play: (stage) => enter(stage, 'read -s -p "Password: " a', /Password:[\s\S]*not echoed|Password:[\s\S]*hidden/),
  },
  {
    name: 'selected',
    title: 'going from command to command',
    files: FILES,
    async play(stage) {
      await enter(stage, 'grep -c 200 access.log', /❯ grep -c 200 .*✓/);
      await enter(stage, 'wc -l src/main.c', /❯ wc .*✓/);
      await press(stage, ['alt-up', 'alt-up'], '-- SCROLL --');
    },
  },
  {
    name: 'filter',
    title: 'only the lines of an output that match',
    files: FILES,
    async play(stage) {
      await enter(stage, 'cat access.log', /❯ cat .*✓/);
      await press(stage, ['alt-up'], '-- SCROLL --');
      stage.rig.type('& 500');
      await stage.rig.waitFor(/of 60 lines/);
    },
  },
  {
    name: 'search',
    title: 'a search in the transcript',
    files: FILES,
    async play(stage) {
      await enter(stage, 'cat access.log', /❯ cat .*✓/);
      await press(stage, ['alt-t'], '-- SCROLL --');
      stage.rig.type('/500');
      await stage.rig.waitFor(/\d+ of \d+|\d+\/\d+/);
    },
  },
  {
    name: 'jobs',
    title: 'jobs, and where they are seen',
    async play(stage) {
      await enter(stage, ':bg sleep 1000', /\[1\]|job 1/);
      await enter(stage, ':jobs', /sleep 1000[\s\S]*sleep 1000/);
    },
  },
  {
    name: 'leaving',
    title: 'leaving while a job runs',
    async play(stage) {
      await enter(stage, ':bg sleep 1000', /\[1\]|job 1/);
      await enter(stage, 'exit', /again/);
    },
  },
];
