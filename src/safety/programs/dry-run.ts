import type { Call } from './call.ts';
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

/** Programs whose `--dry-run` takes a mode, of which `none` means: do it. */
const MODED = new Set(['kubectl', 'oc', 'helm']);

/** Programs that take what follows as theirs to run or print: `--help` in it is not their help. */
const NO_HELP = new Set(
  'echo printf xargs sh bash dash zsh ksh eval python node perl ruby php lua awk redis-cli sqlite3 test expr mysql env sudo nohup time timeout docker podman kubectl-exec ssh kill crontab chroot watch'.split(
    ' ',
  ),
);

/** Is this call only a dry run, or a request for help or version, with an option that the program really has? */
export function isDryRun(call: Call, hasRules: boolean): boolean {
  const { program, options } = call;
  if (program === 'aws' && options.operands.at(-1)?.text === 'help') return true;
  if (options.flags.size === 0) return false;
  if (options.flags.has('-help') && SINGLE_DASH.has(program)) return true;
  const sub = options.operands[0]?.text ?? '';
  const names = DRY_RUN_SETS.get(`${program} ${sub}`) ?? DRY_RUN_SETS.get(program);
  if (names && call.hasExactly(names) && !disabled(call, names)) return true;
  if (MODED.has(program) && options.flags.has('--dry-run')) {
    return (options.values.get('--dry-run')?.at(-1) ?? 'client') !== 'none';
  }
  if (hasRules && call.args.length === 1 && /^(-V|--?version|--?help|-\?)$/.test(call.args[0]?.text ?? '')) return true;
  if (!hasRules || !(options.flags.has('--help') || options.flags.has('--version'))) return false;
  const at = call.args.findIndex((field) => field.text === '--help' || field.text === '--version');
  const end = call.args.findIndex((field) => field.text === '--');
  if (at < 0 || (end >= 0 && end < at)) return false;
  // `npm version`-like words aside, a bare `--version` with operands is an option of its own (`helm --version 1.2`).
  if (call.args[at]?.text === '--version' && call.args.length > 1) return false;
  return !NO_HELP.has(program) || call.args.length === 1 || (program === 'docker' && sub !== 'exec' && sub !== 'run');
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
