/** The prompt: where a line goes, and completions. */
import type { Scene } from '../scene.ts';

const typed = (name: string, title: string, text: string, seen: RegExp, more: Partial<Scene> = {}): Scene => ({
  name,
  title,
  ...more,
  async play({ rig }) {
    rig.type(text);
    await rig.waitFor(seen);
  },
});

export const PROMPT: readonly Scene[] = [
  typed('prompt-shell', 'a line for the shell, coloured', 'git log --oneline | head -5', /head -5[\s\S]*shell/),
  typed('prompt-question', 'a question', 'why is my build so slow?', /slow\?[\s\S]*(ask|question|model)/),
  typed('prompt-command', 'a `:` command and its completions', ':mo\t', /:mode[\s\S]*:model|model[\s\S]*mode/),
  typed('prompt-unknown', 'a command that is not there', 'gti status', /gti status/),
  typed('completion', 'choices for a path', 'cat src/\t\t', /util\.c/, {
    files: { 'src/main.c': '', 'src/util.c': '', 'src/util.h': '' },
  }),
  typed('attached', 'a question with files, and what they take', 'what do @src/ and @Makefile build?', /≈ \d+ tokens/, {
    files: {
      'src/main.c': 'int main(void) { return 0; }\n',
      'src/util.c': '',
      Makefile: 'main: src/main.c src/util.c\n',
    },
  }),
  {
    name: 'attached-refused',
    title: 'a file with keys asks once more',
    files: { '.env': 'TOKEN=none\n' },
    async play({ rig }) {
      rig.type('what is set in @.env');
      await rig.waitFor('may hold keys');
      rig.key('enter');
      await rig.waitFor('Enter again');
    },
  },
  {
    name: 'history-search',
    title: 'a search in the history',
    async play({ rig }) {
      rig.type('echo one\r');
      await rig.waitFor(/❯ echo one .*✓/);
      rig.type('ls\r');
      await rig.waitFor(/❯ ls .*✓/);
      rig.key('ctrl-r');
      rig.type('ec');
      await rig.waitFor(/ec[\s\S]*echo one|echo one[\s\S]*ec/);
    },
  },
  {
    name: 'suggestion',
    title: 'a suggestion from the history',
    async play({ rig }) {
      rig.type('echo a long line that was typed before\r');
      await rig.waitFor(/❯ echo a long .*✓/);
      rig.type('echo a');
      await rig.waitFor(/> echo a long line/);
    },
  },
  {
    name: 'several-lines',
    title: 'several lines',
    async play({ rig }) {
      rig.type('for f in *.c; do');
      rig.type('\x1b\r  wc -l "$f"\x1b\rdone');
      await rig.waitFor(/done/);
    },
  },
];
