import { hasRules } from '../rules/table.ts';
import type { Call } from './call.ts';
import { isDryReading, isIdle } from './record.ts';
import { SINGLE_DASH } from './specs.ts';

/**
 * Options that make a call a dry run, by program (and subcommand). Only what the tool really has: `rm` has no
 * dry run, so `rm -rf --dry-run x` stays what it is.
 */
const DRY_RUN: Readonly<Record<string, string>> = {
  'git push': '-n --dry-run',
  'git clean': '-n --dry-run',
  'git rm': '-n --dry-run',
  'git mv': '-n --dry-run',
  'git add': '-n --dry-run',
  'git commit': '--dry-run',
  'git fetch': '--dry-run',
  'git prune': '-n --dry-run',
  'git worktree': '-n --dry-run',
  'git remote': '-n --dry-run',
  'git notes': '-n --dry-run',
  'git apply': '--check --stat --numstat --summary',
  'git lfs': '--dry-run -d',
  'git reflog': '-n --dry-run',
  'git filter-repo': '--dry-run --analyze',
  rsync: '-n --dry-run --list-only',
  make: '-n --just-print --dry-run --recon -q --question',
  'apt-get': '-s --simulate --just-print --dry-run --recon --no-act --print-uris',
  apt: '-s --simulate --dry-run --no-act',
  aptitude: '-s --simulate',
  dpkg: '--dry-run --no-act --simulate',
  dnf: '--assumeno',
  yum: '--assumeno',
  zypper: '-D --dry-run',
  pacman: '-p --print',
  apk: '-s --simulate',
  brew: '-n --dry-run',
  npm: '--dry-run',
  pnpm: '--dry-run',
  yarn: '--dry-run',
  'pip install': '--dry-run',
  cargo: '--dry-run -n',
  gem: '--dryrun',
  poetry: '--dry-run',
  conda: '-d --dry-run',
  mamba: '-d --dry-run',
  composer: '--dry-run',
  opam: '--dry-run --show-actions',
  nix: '--dry-run',
  'nix-collect-garbage': '--dry-run',
  'nix-store': '--dry-run',
  guix: '-n --dry-run',
  'docker compose': '--dry-run',
  'docker-compose': '--dry-run',
  helm: '--dry-run',
  'aws s3': '--dryrun',
  'aws ec2': '--dry-run',
  ansible: '-C --check --list-hosts --syntax-check',
  'ansible-playbook': '-C --check --syntax-check --list-tasks --list-hosts --list-tags',
  puppet: '--noop',
  'salt-call': 'test=True',
  chef: '-W --why-run',
  'chef-client': '-W --why-run',
  certbot: '--dry-run',
  logrotate: '-d --debug',
  wipefs: '-n --no-act',
  sfdisk: '-n --no-act -l --list -d --dump -J --json',
  sgdisk: '-p --print -P --pretend -i -v',
  'mkfs.ext4': '-n',
  mke2fs: '-n',
  'mkfs.xfs': '-N',
  fsck: '-N',
  e2fsck: '-n',
  xfs_repair: '-n',
  fstrim: '-n --dry-run',
  resize2fs: '-P',
  lvremove: '-t --test',
  vgremove: '-t --test',
  pvremove: '-t --test',
  lvreduce: '-t --test',
  lvresize: '-t --test',
  vgreduce: '-t --test',
  lvcreate: '-t --test',
  nft: '-c --check',
  'iptables-restore': '-t --test',
  'nft -f': '-c',
  borg: '-n --dry-run',
  restic: '-n --dry-run',
  rclone: '-n --dry-run',
  duplicity: '--dry-run',
  tmpreaper: '-t --test',
  tmpwatch: '-t --test',
  stow: '-n --no --simulate',
  rename: '-n --nono --no-act',
  prename: '-n --nono --no-act',
  mmv: '-n',
  patch: '--dry-run',
  parallel: '--dry-run --dryrun',
  'alembic upgrade': '--sql',
  'alembic downgrade': '--sql',
  'gsutil rsync': '-n',
  'gsutil -m rsync': '-n',
  shutdown: '-k',
  visudo: '-c --check',
  'zfs destroy': '-n',
  'zfs receive': '-n',
  'zfs recv': '-n',
  'zfs send': '-n',
  'zpool create': '-n',
  'zpool add': '-n',
  'btrfs balance': '--dry-run',
  trash: '--dry-run',
  black: '--check --diff',
  isort: '--check --check-only --diff -c',
  ruff: '--diff',
  flyway: '-dryRunOutput',
  goreleaser: '--snapshot',
  hg: '-n --dry-run',
  svn: '--dry-run',
  p4: '-n',
};

/** Programs that take what follows as theirs to run or print: `--help` in it is not their help. */
const NO_HELP = new Set(
  'echo printf xargs sh bash dash zsh ksh eval python node perl ruby php lua awk redis-cli sqlite3 test expr mysql env sudo nohup time timeout docker podman kubectl-exec ssh kill crontab chroot watch'.split(
    ' ',
  ),
);

/** Does this call ask only for help or the version, in a way the program really has? */
export function asksForHelp(call: Call): boolean {
  const { program, options, reading } = call;
  if (reading) return isIdle(reading);
  if (options.flags.size === 0) return false;
  if (options.flags.has('-help') && SINGLE_DASH.has(program)) return true;
  if (!hasRules(program)) return false;
  if (call.args.length === 1 && /^(-V|--?version|--?help|-\?)$/.test(call.args[0]?.text ?? '')) return true;
  const at = call.args.findIndex((field) => field.text === '--help');
  const end = call.args.findIndex((field) => field.text === '--');
  return at >= 0 && (end < 0 || end > at) && !NO_HELP.has(program);
}

/** Does this call only show what it would do? A dry run lifts the rules on what is deleted or written, nothing else. */
export function isDryRun(call: Call): boolean {
  const { program, options, reading } = call;
  if (reading && (isDryReading(reading) || reading.level.knowsDryRuns)) return isDryReading(reading);
  if (options.flags.size === 0) return false;
  const sub = options.operands[0]?.text ?? '';
  const names = DRY_RUN_SETS.get(`${program} ${sub}`) ?? DRY_RUN_SETS.get(program);
  return names !== undefined && call.hasExactly(names) && !disabled(call, names);
}

/** `--dry-run=false`. */
function disabled(call: Call, names: readonly string[]): boolean {
  return names.some((name) => /^(false|no|none|0)$/.test(call.options.values.get(name)?.at(-1) ?? ''));
}

const DRY_RUN_SETS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(DRY_RUN)
    .filter(([, options]) => options !== '')
    .map(([program, options]) => [program, options.split(' ')]),
);
