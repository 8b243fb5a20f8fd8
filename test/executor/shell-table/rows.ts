/** The table: jobs, values and input, with the rows of the other files. */
import { PROMPT, type Row, same, stopped, two, withoutNumbers, words, zsh } from './row.ts';
import { HOOK_ROWS } from './rows-of-hooks.ts';
import { PROGRAM_ROWS } from './rows-of-programs.ts';
import { PROMPTS } from './rows-of-prompts.ts';

const JOBS: readonly Row[] = [
  {
    name: 'the first background job is job 1',
    steps: same('sleep 47 &', 'jobs > $O', 'kill %1'),
    clean: withoutNumbers,
    short: true,
  },
  {
    name: 'kill %1',
    steps: words(
      ['sleep 47 &', 'kill %1; echo $? > $O; sleep 0.2', 'jobs >> $O'],
      ['sleep 47 &', 'kill %1; echo $status > $O; sleep 0.2', 'jobs >> $O'],
    ),
    clean: withoutNumbers,
  },
  { name: 'Ctrl-Z, jobs, fg: a command', steps: same(...stopped('sleep 4')), clean: withoutNumbers, short: true },
  {
    name: 'Ctrl-Z, jobs, fg: `sleep && echo`',
    steps: same(...stopped('sleep 4 && echo after > $O.2')),
    files: ['', '.2'],
    clean: withoutNumbers,
  },
  {
    name: 'Ctrl-Z, jobs, fg: a loop',
    steps: words(
      stopped('for i in 1 2 3; do sleep 2; echo $i >> $O.3; done'),
      stopped('for i in 1 2 3; sleep 2; echo $i >> $O.3; end'),
    ),
    files: ['', '.3'],
    clean: withoutNumbers,
  },
  {
    name: 'Ctrl-C in a loop, and $?',
    steps: words(
      [{ start: 'while true; do sleep 0.1; done' }, { front: 'sleep' }, { keys: '\x03' }, PROMPT, 'echo $? > $O'],
      [{ start: 'while true; sleep 0.1; end' }, { front: 'sleep' }, { keys: '\x03' }, PROMPT, 'echo $status > $O'],
    ),
    short: true,
  },
  {
    name: 'leaving with a stopped job warns once',
    steps: same(
      { start: 'sleep 9' },
      { front: 'sleep' },
      { keys: '\x1a' },
      PROMPT,
      'exit',
      'echo alive > $O',
      'kill -9 %1',
    ),
  },
  {
    name: 'the end of a background job is told',
    steps: same('sleep 0.1 &', 'sleep 0.4', 'jobs > $O; echo end >> $O'),
    clean: withoutNumbers,
  },
];

const VALUES: readonly Row[] = [
  { name: '$_ of the line before', steps: two('echo a b >/dev/null', 'echo "$_" > $O'), short: true },
  {
    name: '$? of the line before',
    steps: words(['false', 'echo $? > $O'], ['false', 'echo $status > $O']),
    short: true,
  },
  {
    name: 'PIPESTATUS of the line before',
    steps: {
      bash: ['true | false | true', 'echo "${PIPESTATUS[@]}" > $O'],
      zsh: ['true | false | true', 'echo "${pipestatus[@]}" > $O'],
      fish: ['true | false | true', 'echo $pipestatus > $O'],
    },
    short: true,
  },
  { name: 'LINENO counts', steps: two('a=$LINENO', 'echo $((LINENO-a)) > $O') },
  { name: '$- $0 SHLVL', steps: two('echo $SHLVL $- ${0##*/} > $O') },
  {
    name: 'top level: globals, `local` refused',
    steps: two(
      'x=1 y=2',
      'typeset -i n=5',
      'echo $x$y$n > $O; local q=1 2>/dev/null; echo $? >> $O; echo "${FUNCNAME[*]}${funcstack[*]}" >> $O',
    ),
  },
  {
    name: '`! command` negates',
    steps: words(
      ['! true', 'echo $? > $O', '! false; echo $? >> $O'],
      ['! true', 'echo $status > $O', '! false; echo $status >> $O'],
    ),
  },
  {
    name: 'an empty line keeps $?',
    steps: words(['false', '', 'echo $? > $O'], ['false', '', 'echo $status > $O']),
  },
  { name: 'a comment line', steps: two('false', '# c', 'echo $? > $O') },
  { name: 'set -u', steps: two('set -u', 'echo u > $O', 'echo $nosuchvar', 'echo still >> $O', 'set +u') },
  { name: 'aliases, also fresh ones', steps: same('hi > $O', 'alias zz="echo Z"', 'zz >> $O') },
];

const INPUT: readonly Row[] = [
  {
    name: 'descriptor 0 is the terminal, to read and to write',
    steps: same(
      'echo hi >&0; echo ok > $O',
      'readlink /proc/self/fd/0 | sed "s/[0-9]//g" >> $O; grep flags /proc/self/fdinfo/0 >> $O',
    ),
    short: true,
  },
  { name: 'terminal modes that a program gets', steps: same('stty -a | grep -v rows > $O') },
  {
    name: 'read from the keyboard',
    steps: {
      bash: [{ start: 'read -p "na""me? " x; echo "got:$x" > $O' }, { shows: 'name?' }, { keys: 'abc\r' }, PROMPT],
      zsh: [{ start: 'read "x?na""me? "; echo "got:$x" > $O' }, { shows: 'name?' }, { keys: 'abc\r' }, PROMPT],
      fish: [{ start: 'read -P "na""me? " x; echo "got:$x" > $O' }, { shows: 'name?' }, { keys: 'abc\r' }, PROMPT],
    },
  },
  {
    name: 'type-ahead: whole lines run in order',
    steps: same(
      { start: 'sleep 0.6' },
      { front: 'sleep' },
      { keys: 'echo typed > $O\recho more >> $O\r' },
      { file: '', holds: 'more' },
      PROMPT,
      'echo later >> $O',
    ),
    short: true,
  },
  {
    name: 'tmux inside',
    needs: ['tmux'],
    steps: same(
      { start: `tmux -S $O.sock -f /dev/null new 'echo IN""SIDE; sleep 0.5; exit 3'` },
      { shows: 'INSIDE' },
      PROMPT,
      'echo done > $O',
    ),
  },
  { name: 'quotes over lines', steps: same("printf '%s' 'l1\nl2' > $O") },
  {
    name: 'several commands, one text',
    steps: words(['echo a > $O\necho b >> $O\necho $? c >> $O'], ['echo a > $O\necho b >> $O\necho $status c >> $O']),
  },
  { name: 'a here-document', steps: two('cat > $O <<EOF\na b\n\t$((1+1))\nEOF') },
  {
    name: 'control characters in a line',
    steps: same("printf '%s' 'x\x1b[31m\x07y' | od -An -c > $O"),
    expect: { fish: '   x 033   [   3   1   m  \\a   y\n' },
  },
  {
    name: '^C ^Z ^Q in a line',
    steps: same("printf '%s' 'x\x03\x1a\x11y' | od -An -c > $O"),
    // The terminal acts on these characters before any editor can quote them.
    expect: { bash: '   x 003 032 021   y\n', zsh: '   x 003 032 021   y\n', fish: '   x 003 032 021   y\n' },
  },
  { name: 'a tab in a line', steps: same("printf '%s' 'a\tb' | od -An -c > $O"), expect: { fish: '   a  \\t   b\n' } },
  {
    name: 'a line of 64 kB',
    plainOnly: true,
    steps: same(`echo -n ${'x'.repeat(64_000)} | wc -c | tr -d ' ' > $O`),
    // A terminal takes 4 kB at a time, and the editor redraws the line for each.
    expect: { bash: '64000\n', zsh: '64000\n', fish: '64000\n' },
    short: true,
  },
  { name: ': and redirections', steps: two(': > $O; echo "r$?" >> $O', ': ${X:=5}; echo $X >> $O') },
  { name: 'a one-line function', steps: zsh('mk2() { echo "f:$1" > $O }', 'mk2 x') },
  {
    name: 'short forms',
    steps: zsh('repeat 2 echo r >> $O', 'for i (a b) echo $i >> $O', 'if [[ 1 == 1 ]] { echo y >> $O }'),
  },
  {
    name: 'setopt correct asks',
    steps: zsh(
      'setopt correct',
      { start: 'ehco hi > $O' },
      { shows: 'correct' },
      { keys: 'y' },
      PROMPT,
      'unsetopt correct',
    ),
  },
];

export const ROWS: readonly Row[] = [...JOBS, ...VALUES, ...INPUT, ...HOOK_ROWS, ...PROMPTS, ...PROGRAM_ROWS];
