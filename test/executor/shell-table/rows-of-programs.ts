/** Programs as people use them every day, each with the keys it is used with. */
import { PROMPT, type Row, same, words } from './row.ts';

/** A repository with one commit and one change. */
const REPOSITORY =
  'git init -q $O.d; cd $O.d; git config user.email a@b; git config user.name n; echo 1 > f; git add f; git commit -qm one; echo 2 >> f';

export const PROGRAM_ROWS: readonly Row[] = [
  {
    name: 'vim: type, save, leave',
    needs: 'vim',
    steps: same(
      { start: 'vim -u NONE -N $O.txt' },
      { front: 'vim' },
      { keys: 'ihello\x1b:wq\r' },
      PROMPT,
      'echo left >> $O.txt',
    ),
    files: ['.txt'],
  },
  {
    name: 'less: page and leave',
    needs: 'less',
    steps: words(
      ['seq 500 > $O.long', { start: 'less $O.long' }, { shows: '20' }, { keys: ' q' }, PROMPT, 'echo $? > $O'],
      ['seq 500 > $O.long', { start: 'less $O.long' }, { shows: '20' }, { keys: ' q' }, PROMPT, 'echo $status > $O'],
    ),
  },
  {
    name: 'top: look and leave',
    needs: 'top',
    steps: words(
      [{ start: 'top' }, { shows: 'PID' }, { keys: 'q' }, PROMPT, 'echo $? > $O'],
      [{ start: 'top' }, { shows: 'PID' }, { keys: 'q' }, PROMPT, 'echo $status > $O'],
    ),
  },
  {
    name: 'python3: a conversation',
    needs: 'python3',
    steps: same(
      { start: 'python3 -q' },
      { shows: '>>>' },
      { keys: 'import os; open(os.environ["O"], "w").write("%d\\n" % (6 * 7)) and None\r' },
      { file: '', holds: '42' },
      { keys: 'exit()\r' },
      PROMPT,
      'echo left >> $O',
    ),
  },
  {
    name: 'node: a conversation',
    needs: 'node',
    steps: same(
      { start: 'node' },
      { shows: '.help' },
      { keys: 'require("fs").writeFileSync(process.env.O, "42\\n")\r' },
      { file: '', holds: '42' },
      { keys: '.exit\r' },
      PROMPT,
      'echo left >> $O',
    ),
  },
  {
    name: 'git add -p',
    needs: 'git',
    steps: same(
      REPOSITORY,
      { start: 'git add -p' },
      { shows: 'Stage this hunk' },
      { keys: 'y\r' },
      PROMPT,
      'git diff --cached --stat > $O; cd ..',
    ),
  },
  {
    name: 'git rebase -i',
    needs: 'git',
    steps: same(
      REPOSITORY,
      'git commit -qam two',
      "GIT_SEQUENCE_EDITOR='sed -i 2s/pick/fixup/' git rebase -q -i --root",
      'git log --format=%s > $O; cd ..',
    ),
  },
  {
    name: 'fzf: search and take',
    needs: 'fzf',
    steps: same(
      { start: "printf 'alpha\\nbeta\\ngamma\\n' | fzf > $O" },
      { shows: '3/3' },
      { keys: 'bet' },
      { shows: '1/3' },
      { keys: '\r' },
      PROMPT,
      'echo left >> $O',
    ),
  },
  {
    name: 'direnv: variables come and go with the directory',
    needs: 'direnv',
    rc: {
      bash: 'eval "$(direnv hook bash)"\n',
      zsh: 'eval "$(direnv hook zsh)"\n',
      fish: 'direnv hook fish | source\n',
    },
    steps: same(
      'mkdir d; echo "export DE=here" > d/.envrc; direnv allow d',
      'cd d',
      'echo "[$DE]" > $O',
      'cd ..',
      'echo "[$DE]" >> $O',
    ),
  },
  {
    name: 'zoxide: z finds where one has been',
    needs: 'zoxide',
    rc: {
      bash: 'eval "$(zoxide init bash)"\n',
      zsh: 'eval "$(zoxide init zsh)"\n',
      fish: 'zoxide init fish | source\n',
    },
    steps: same('mkdir -p apple/pie; cd apple/pie', 'cd ../..', 'z pie', 'basename $PWD > $O', 'cd ../..'),
  },
];
