/** Programs as people use them every day, with the keys for each. */
import { join } from 'node:path';
import { bash, PROMPT, ROOT, type Row, type Step, same, words } from './row.ts';

/** A repository with one commit and one change. */
const REPOSITORY =
  'git init -q $O.d; cd $O.d; git config user.email a@b; git config user.name n; echo 1 > f; git add f; git commit -qm one; echo 2 >> f';

/** A script that writes its own manual page, since those of the machine may not be installed. */
const MANUAL = ["printf '.TH OWN 1\\n.SH NAME\\nown \\\\- own manual\\n' > own.1"];

/** sshd refuses to start except by its whole path; as a daemon it would need a port. `needs` looks for it. */
const SSHD = join('/usr/sbin', 'sshd');
const SSH: readonly Step[] = [
  'mkdir -p /run/sshd 2>/dev/null; ssh-keygen -q -t ed25519 -N "" -f k; ssh-keygen -q -t ed25519 -N "" -f h; cp k.pub a; chmod 700 .',
  {
    start: `ssh -tt -i k -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o "ProxyCommand=${SSHD} -i -f none -h $PWD/h -o AuthorizedKeysFile=$PWD/a -o StrictModes=no -o UsePAM=no" loopback "O=$O PS1=remote: exec sh -i"`,
  },
  { shows: 'remote:' },
  { keys: 'echo there > $O; exit 7\r' },
  PROMPT,
];

const SUDO: readonly Step[] = [
  { start: 'setpriv --reuid=65534 --clear-groups sudo -k -p "Pass""word: " true' },
  { shows: 'Password:' },
  { keys: 'opensesame\r' },
  { shows: 'again' },
  { keys: '\x03' },
  PROMPT,
];

/** The file in which packages install bash-preexec. */
const PREEXEC = '/usr/share/bash-preexec/bash-preexec.sh';

export const PROGRAM_ROWS: readonly Row[] = [
  {
    name: 'vim: type, save, leave',
    needs: ['vim'],
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
    needs: ['less'],
    steps: words(
      ['seq 500 > $O.long', { start: 'less $O.long' }, { shows: '20' }, { keys: ' q' }, PROMPT, 'echo $? > $O'],
      ['seq 500 > $O.long', { start: 'less $O.long' }, { shows: '20' }, { keys: ' q' }, PROMPT, 'echo $status > $O'],
    ),
  },
  {
    name: 'top: look and leave',
    needs: ['top'],
    steps: words(
      [{ start: 'top' }, { shows: 'PID' }, { keys: 'q' }, PROMPT, 'echo $? > $O'],
      [{ start: 'top' }, { shows: 'PID' }, { keys: 'q' }, PROMPT, 'echo $status > $O'],
    ),
  },
  {
    name: 'python3: a conversation',
    needs: ['python3'],
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
    needs: ['node'],
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
    needs: ['git'],
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
    needs: ['git'],
    steps: same(
      REPOSITORY,
      'git commit -qam two',
      "GIT_SEQUENCE_EDITOR='sed -i 2s/pick/fixup/' git rebase -q -i --root",
      'git log --format=%s > $O; cd ..',
    ),
  },
  {
    name: 'man: read and leave',
    needs: ['man', 'less'],
    steps: words(
      [...MANUAL, { start: 'man -P less ./own.1' }, { shows: 'own manual' }, { keys: 'q' }, PROMPT, 'echo $? > $O'],
      [
        ...MANUAL,
        { start: 'man -P less ./own.1' },
        { shows: 'own manual' },
        { keys: 'q' },
        PROMPT,
        'echo $status > $O',
      ],
    ),
  },
  {
    name: 'ssh to this machine: a shell there, and back',
    needs: ['ssh', 'ssh-keygen', SSHD],
    steps: words([...SSH, 'echo $? >> $O'], [...SSH, 'echo $status >> $O']),
  },
  {
    // The account `nobody` has no password, so no login succeeds. The typed text is hidden and in no history.
    name: 'sudo asks for a password, which nothing keeps',
    needs: ['sudo', 'setpriv', ROOT],
    steps: {
      bash: [...SUDO, 'echo $? > $O; history | grep -c open""sesame >> $O'],
      zsh: [...SUDO, 'echo $? > $O; fc -l 1 | grep -c open""sesame >> $O'],
      fish: [...SUDO, 'echo $status > $O; history search --contains opense""same | count >> $O'],
    },
  },
  {
    name: 'bash-preexec: its hooks see the line and $?',
    plainOnly: true,
    needs: [PREEXEC],
    rc: {
      bash: `source ${PREEXEC}
preexec() { echo "pre:$1" >> $O; }
precmd() { echo "pc:$?" >> $O; }
`,
    },
    steps: bash('echo one  two', '(exit 4)', 'true'),
    // Drops the first prompt, which comes before anything was typed.
    clean: (text) => text.split('\n').slice(1).join('\n'),
  },
  {
    name: 'fzf: search and take',
    needs: ['fzf'],
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
    needs: ['direnv'],
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
    needs: ['zoxide'],
    rc: {
      bash: 'eval "$(zoxide init bash)"\n',
      zsh: 'eval "$(zoxide init zsh)"\n',
      fish: 'zoxide init fish | source\n',
    },
    steps: same('mkdir -p apple/pie; cd apple/pie', 'cd ../..', 'z pie', 'basename $PWD > $O', 'cd ../..'),
  },
];
