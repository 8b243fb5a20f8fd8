/** How bad a finding is beside others of the same command, and what it does in plain words. */

/** Devices and whole systems, and code that nobody can read. */
const WORST = new Set([
  'write to raw disk',
  'dd to device',
  'mkfs (format)',
  'wipefs',
  'partition table',
  'blkdiscard',
  'image to device',
  'ddrescue and imagers',
  'logical volume',
  'zfs destroy',
  'raid',
  'luks',
  'fastboot',
  'fork bomb',
  'curl | sh',
  'decoded code',
  'unresolved code',
  'write to kernel interface',
]);

/** What nobody can bring back from this machine, and whole trees. */
const BAD =
  /^(rm -rf|shred|find -delete|find -exec rm|DROP |TRUNCATE|sql |git push|git reset|git clean|git rewrite|git drop|forge |cloud |s3 |backup |database |framework |terraform|kubectl|helm|docker|write to |chown|chmod|tool )/;

/** 3 for the worst, 1 for the rest; a pattern of the user's own is always first. */
export function severityOf(rule: string): number {
  if (rule.startsWith('user: ')) return 4;
  if (WORST.has(rule)) return 3;
  return BAD.test(rule) ? 2 : 1;
}

/** The original names, whose reason is the name itself, in words that say what is done. */
const VERBS: Readonly<Record<string, string>> = {
  'rm -rf': 'deletes files and directories',
  'rm -fr': 'deletes files without asking',
  'find -delete': 'deletes every file that find matches',
  'find -exec rm': 'deletes every file that find matches',
  'write to raw disk': 'writes over a disk',
  'dd to device': 'writes over a disk',
  'mkfs (format)': 'formats a file system',
  shred: 'overwrites and deletes files beyond recovery',
  wipefs: 'erases file system signatures',
  'truncate to zero': 'cuts files short',
  'git push --force': 'overwrites the remote branch',
  'git push -f': 'overwrites the remote branch',
  'git reset --hard': 'throws away uncommitted changes and moves the branch',
  'git clean -fd': 'deletes untracked files',
  'git branch -D': 'deletes or moves a branch',
  'DROP TABLE': 'deletes a table',
  'DROP DATABASE': 'deletes a database',
  'TRUNCATE TABLE': 'empties a table',
  'kill -9': 'ends a process at once',
  'pkill -9': 'ends processes by name at once',
  'chmod 777': 'lets everyone write to files',
  'chown on root path': 'changes the owner of system files',
};

/** What a rule's call does, as a predicate; undefined where the rule's reason already says it. */
export function verbOfRule(rule: string): string | undefined {
  return VERBS[rule];
}
