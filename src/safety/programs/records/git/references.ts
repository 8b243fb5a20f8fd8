import { unknown } from '../../../verdict.ts';
import { given, type Spec } from '../../record.ts';
import { judgeConfig, judgeNewPlace, judgeRemoteAdd, judgeStash, judgeUpstream } from './judges.ts';
import { DIFF, LOOK } from './options.ts';

/** What git ignores goes as well: settings, keys, what was installed. Until it is brought back nothing there runs. */
const WITH_IGNORED = '-a --all';

/** Branches, tags, remotes, settings, stashes: what stands beside the files. */
export const REFERENCES: Readonly<Record<string, Spec>> = {
  branch: {
    tune: LOOK,
    add: '-t --track[=] --no-track',
    read: '-u= --set-upstream-to=',
    judge: judgeUpstream,
    delete:
      '-c -C -d -D -f -m -M --copy --delete --force --move --unset-upstream --edit-description --recurse-submodules',
    operands: 'tune',
  },
  tag: {
    tune: `${LOOK} -m= --message= --cleanup= -a --annotate`,
    read: '-F= --file=',
    load: '-s --sign -u= --local-user= -v --verify --trailer=',
    delete: '-d -f -e --delete --force --edit',
    operands: 'tune',
    judge: (_, reading) =>
      given(reading, '-a', '--annotate') && !given(reading, '-m', '--message', '-F', '--file')
        ? unknown('starts an editor')
        : undefined,
  },
  remote: {
    tune: '-v --verbose',
    subs: {
      '': {},
      show: { tune: '-n', operands: 'tune' },
      'get-url': { tune: '--push --all', operands: 'tune' },
      add: {
        undo: 'git remote remove NAME',
        tune: '-t= -m= --tags --no-tags --mirror=',
        load: '-f --fetch',
        operands: 'tune',
        judge: judgeRemoteAdd,
      },
      prune: { dry: '-n --dry-run', operands: 'delete' },
      update: { delete: '-p --prune', operands: 'tune' },
    },
  },
  config: {
    tune: '-l -z --all --blob= --bool --bool-or-int --default= --expiry-date --fixed-value --get --get-all --get-color= --get-colorbool= --get-regexp --get-urlmatch --global --includes --int --list --local --name-only --no-includes --null --path --regexp --show-names --show-origin --show-scope --system --type= --unset --unset-all --replace-all --add --worktree',
    load: '-f= --file= -e --edit',
    delete: '--rename-section --remove-section',
    operands: 'tune',
    judge: judgeConfig,
  },
  stash: {
    subs: {
      '': {
        undo: 'git stash pop',
        tune: '-k -m= -q -S -u --include-untracked --keep-index --message= --no-keep-index --quiet --staged',
        delete: WITH_IGNORED,
      },
      list: { tune: DIFF, operands: 'tune' },
      show: { tune: `${DIFF} --include-untracked --only-untracked`, operands: 'tune' },
      'push save': {
        undo: 'git stash pop',
        tune: '-k -m= -q -S -u --include-untracked --keep-index --message= --no-keep-index --pathspec-from-file= --quiet --staged',
        delete: WITH_IGNORED,
        operands: 'read',
      },
      // It refuses where that would change what is not committed.
      'apply pop': { undo: 'git stash', tune: '--index -q --quiet', operands: 'tune', judge: judgeStash },
      'branch create store': {
        tune: '--index -q --quiet -m=',
        operands: 'tune',
        open: 'puts stashed changes over files',
      },
    },
  },
  reflog: {
    tune: DIFF,
    subs: {
      '': {},
      'show exists list': { tune: DIFF, operands: 'tune' },
      'expire delete': {
        dry: '-n --dry-run',
        tune: '--all --expire= --expire-unreachable= --rewrite --updateref --verbose --stale-fix',
        operands: 'tune',
        delete: '',
      },
      'drop write': { open: 'drops a reflog', operands: 'tune', tune: '--all --single-worktree' },
      '*': { tune: DIFF, operands: 'tune' },
    },
  },
  worktree: {
    subs: {
      list: { tune: '-v -z --porcelain --verbose --expire=' },
      add: {
        tune: '-b= --track --no-track --detach -q --quiet --checkout --no-checkout --lock --reason= --orphan',
        delete: '-f -B= --force',
        operands: 'add tune',
        judge: judgeNewPlace,
      },
      prune: { dry: '-n --dry-run', tune: '-v --verbose --expire=' },
      'lock unlock': { tune: '--reason=', operands: 'tune' },
    },
  },
  submodule: {
    tune: '-q --quiet',
    subs: { '': {}, 'status summary': { tune: '--cached --recursive -n= --files', operands: 'read' } },
  },
  notes: { tune: '--ref=', subs: { '': {}, 'list show': { operands: 'tune' } } },
  bundle: {
    subs: {
      'verify list-heads': { tune: '-q --quiet', operands: 'read' },
      create: { tune: '-q --quiet --progress --all --version= --branches --tags', operands: 'write tune' },
    },
  },
  lfs: {
    subs: {
      'ls-files status env version  logs locks': {
        tune: '-l -s -n -a -d --long --size --name-only --all --debug --json',
        operands: 'tune',
      },
    },
  },
  fsck: {
    tune: '--unreachable --dangling --no-dangling --root --tags --cache --no-reflogs --full --no-full --strict --verbose --connectivity-only --progress --no-progress --name-objects',
    delete: '--lost-found',
    operands: 'tune',
  },
};
