import { unknown } from '../../verdict.ts';
import { bringsOthers } from '../paths.ts';
import { given, type Records, type Spec } from '../record.ts';
import {
  GIT_FINDINGS,
  judgeAdd,
  judgeCheckout,
  judgeClone,
  judgeConfig,
  judgeFetch,
  judgeNewPlace,
  judgeOtherCommits,
  judgePull,
  judgePush,
  judgeRebase,
  judgeRemote,
  judgeRemoteAdd,
  judgeRepack,
  judgeReset,
  judgeSettings,
  judgeStash,
  judgeUpstream,
  makesNames,
} from './git-findings.ts';

/** `branch` and `tag` with these options list, or make a new name; other options move or remove one. */
const LOOK =
  '-# -a -i -l -n -q -r -v -vv --abbrev[=] --no-abbrev --all --color[=] --no-color --column[=] --no-column --contains[=] --no-contains[=] --create-reflog --format= --ignore-case --list --merged[=] --no-merged[=] --omit-empty --points-at= --quiet --remotes --show-current --sort= --verbose';

/** Options of all subcommands that show history or changes. */
const DIFF =
  '-# -0 -a -b -B[=] -c --cc -C[=] -D -G= -i -l= -m -M[=] -n= -p -q -r -R -s -S= -t -u -U= -w -W -z -I= --abbrev[=] --abbrev-commit --after= --all --all-match --anchored= --ancestry-path[=] --author= --author-date-order --basic-regexp --before= --binary --bisect --boundary --branches[=] --cached --check --cherry --cherry-mark --cherry-pick --children --clear-decorations --color[=] --color-moved[=] --color-words[=] --combined-all-paths --committer= --compact-summary --count --cumulative --date= --date-order --decorate[=] --decorate-refs= --dense --diff-algorithm= --diff-filter= --diff-merges= --dirstat[=] --do-walk --exclude= --exit-code --extended-regexp --find-copies[=] --find-copies-harder --find-object= --find-renames[=] --first-parent --fixed-strings --follow --format= --full-diff --full-history --full-index --function-context --glob= --graph --grep= --grep-reflog= --histogram --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --ignore-matching-lines= --ignore-space-at-eol --ignore-space-change --ignore-submodules[=] --indent-heuristic --inter-hunk-context= --invert-grep --left-only --left-right --line-prefix= --log-size --mailmap --max-count= --max-parents= --merge --merge-base --merges --min-parents= --minimal --name-only --name-status --no-abbrev --no-abbrev-commit --no-color --no-color-moved --no-decorate --no-ext-diff --no-index --no-mailmap --no-max-parents --no-merges --no-min-parents --no-notes --no-patch --no-prefix --no-renames --no-textconv --no-walk[=] --not --notes[=] --numstat --oneline --parents --patch --patch-with-raw --patch-with-stat --patience --perl-regexp --pickaxe-all --pickaxe-regex --pretty[=] --quiet --raw --reflog --regexp-ignore-case --relative[=] --relative-date --remerge-diff --remotes[=] --reverse --right-only --shortstat --show-linear-break[=] --show-notes[=] --show-pulls --simplify-by-decoration --simplify-merges --since= --since-as-filter= --skip= --source --sparse --staged --stat[=] --stat-count= --stat-width= --stdin --submodule[=] --summary --tags[=] --text --topo-order --unified= --until= --walk-reflogs --word-diff[=] --word-diff-regex= --ws-error-highlight= -L= -g --default= --encoding= --src-prefix= --dst-prefix= --output-indicator-new= --output-indicator-old= --end-of-options --cc --ours --theirs --base -O=';

/** Subcommands that show commits and their differences. */
const diffLike: Spec = {
  tune: DIFF,
  write: '--output=',
  load: '--ext-diff --textconv --show-signature',
  operands: 'read',
  judge: (_, reading) =>
    reading.given.some(({ value }) => /%G/.test(value ?? '')) ? unknown('checks signatures with gpg') : undefined,
};

/** Subcommands that change the files, the index or the commits. */
const WORKING_TREE: Readonly<Record<string, Spec>> = {
  add: {
    tune: '-A -f -n -u -v -N --all --chmod= --dry-run --force --ignore-errors --ignore-missing --ignore-removal --intent-to-add --no-all --no-ignore-removal --no-warn-embedded-repo --pathspec-from-file= --pathspec-file-nul --refresh --renormalize --sparse --update --verbose',
    load: '-p -i -e --patch --interactive --edit',
    operands: 'read',
    judge: judgeAdd,
  },
  commit: {
    tune: '-a -m=  -q -s -v -z -u[=] --all --allow-empty --allow-empty-message --author= --cleanup= --date= --fixup= --message= --no-edit --no-gpg-sign --no-post-rewrite --no-signoff --no-status --only -o --porcelain --quiet --reset-author --short --long --branch --signoff --squash= --status --trailer= --untracked-files[=] --verbose -i --include --no-verify -n',
    read: '-F= --file=',
    load: '-S[=] --gpg-sign[=] -C= -c= --reuse-message= --reedit-message= -p --patch --interactive -e --edit -t= --template= --pathspec-from-file=',
    delete: '--amend',
    dry: '--dry-run',
    operands: 'read',
    judge: (_, reading) =>
      given(reading, '-m', '--message', '-F', '--file', '--no-edit', '--dry-run', '--allow-empty-message', '--fixup')
        ? undefined
        : unknown('starts an editor'),
  },
  checkout: {
    tune: '-# -b= -l  -q -t --detach -d --guess --no-guess --no-progress --no-track --orphan= --progress --quiet --track[=]',
    load: '-p --patch --recurse-submodules --conflict=',
    delete:
      '-f -B= --force --merge --ours --theirs --overwrite-ignore --ignore-skip-worktree-bits --pathspec-from-file=',
    operands: 'tune',
    judge: judgeCheckout,
  },
  switch: {
    tune: '-c= -d -q -t --create= --detach --guess --no-guess --no-progress --no-track --orphan= --progress --quiet --track[=] -',
    load: '--recurse-submodules --conflict=',
    delete: '-C= -f -m --force-create= --force --discard-changes --merge --ignore-other-worktrees',
    operands: 'tune',
    judge: judgeOtherCommits,
  },
  restore: {
    tune: '-S --staged -q --quiet',
    delete: '-W -s= --worktree --source= --ours --theirs -m -p --patch',
    operands: 'read',
    judge: (_, reading) => (given(reading, '-S', '--staged') ? undefined : unknown('throws away changes')),
  },
  reset: {
    tune: '-q -N --quiet --mixed --soft --no-refresh --refresh --intent-to-add',
    delete: '--hard --merge --keep -p --patch --recurse-submodules',
    operands: 'tune',
    judge: judgeReset,
  },
  merge: {
    tune: '-m= -q -v -n --commit --ff --ff-only --no-edit --no-ff --quiet --stat --no-stat --verbose --log[=] --message= --signoff --no-progress --progress  --no-verify-signatures --autostash',
    load: '-e -s= -S[=] -X= --edit --strategy= --strategy-option= --gpg-sign[=]',
    delete: '--abort --quit --squash --no-commit --allow-unrelated-histories --no-verify --overwrite-ignore --continue',
    read: '-F= --file=',
    operands: 'tune',
    judge: judgeOtherCommits,
  },
  revert: {
    undo: 'git revert HEAD',
    tune: '-n -s -m= --no-commit --no-edit --signoff --mainline=',
    load: '-e -S[=] -X= --edit --gpg-sign[=] --strategy= --strategy-option=',
    delete: '--abort --quit --skip',
    operands: 'tune',
    judge: (_, reading) => (given(reading, '--no-edit', '-n', '--no-commit') ? undefined : unknown('starts an editor')),
  },
  'cherry-pick': {
    tune: '-n -s -x -m= --no-commit --signoff --mainline= --ff --allow-empty --keep-redundant-commits --continue',
    load: '-e -S[=] -X= --edit --gpg-sign[=] --strategy= --strategy-option=',
    delete: '--abort --quit --skip',
    operands: 'tune',
    judge: judgeOtherCommits,
  },
  mv: {
    tune: '-k -v --verbose --sparse',
    delete: '-f --force',
    dry: '-n --dry-run',
    operands: 'read',
    judge: (call, reading) => {
      if (given(reading, '-n', '--dry-run')) return undefined;
      bringsOthers(call.machine, reading.operands.at(-1)?.text ?? '');
      return call.machine.files ? unknown('moves files') : undefined;
    },
  },
  rm: {
    tune: '-r -q --quiet --ignore-unmatch --sparse --cached',
    delete: '-f --force',
    dry: '-n --dry-run',
    undry: '--no-dry-run',
    operands: 'read',
    judge: (_, reading) => (given(reading, '-n', '--dry-run') ? undefined : unknown('takes files out of the index')),
  },
  clean: {
    tune: '-d -q -x -X -e= --exclude= --quiet',
    delete: '-f -i --force --interactive',
    dry: '-n --dry-run',
    undry: '--no-dry-run',
    operands: 'read',
  },
  init: {
    tune: '-b= -q --bare --initial-branch= --object-format= --quiet',
    load: '--shared[=] --template= --separate-git-dir=',
    operands: 'add',
    judge: judgeNewPlace,
  },
  archive: {
    tune: '-# -l -v --format= --list --prefix= --verbose --worktree-attributes --add-virtual-file= --mtime=',
    read: '--add-file=',
    write: '-o= --output=',
    load: '--remote= --exec=',
    operands: 'read',
    judge: (_, reading) =>
      reading.given.some(({ name, value }) => name === '--format' && !/^(tar|zip)$/.test(value ?? ''))
        ? unknown('an archive format may be a command')
        : undefined,
  },
  'format-patch': {
    tune: '--stdout -# -n -k -s --signoff --root --thread[=] --no-thread --cover-letter --base= --numbered --no-numbered',
    operands: 'tune',
    judge: (call, reading) => (given(reading, '--stdout') ? undefined : makesNames(call, /^\d{4}-.*\.patch$/)),
  },
  apply: {
    tune: '--stat --numstat --summary --check -p= -v --verbose -z --whitespace= --ignore-whitespace --exclude= --include= --directory= -q',
    delete:
      '-R -3 -N --reverse --reject --index --cached --unsafe-paths --recount --unidiff-zero --inaccurate-eof --apply --build-fake-ancestor= --allow-overlap --intent-to-add',
    operands: 'read',
    judge: (_, reading) =>
      given(reading, '--stat', '--numstat', '--summary', '--check') ? undefined : unknown('changes files in place'),
  },
  bisect: {
    tune: '--no-checkout --first-parent --term-new= --term-old=',
    subs: {
      'log   terms help': { operands: 'tune' },
      reset: { operands: 'tune', open: 'goes back to where the search began' },
      'start good bad old new skip next': { tune: '--no-checkout --first-parent', operands: 'tune' },
    },
  },
  rebase: {
    tune: '--continue -q -v --quiet --verbose --stat --no-stat --autostash --no-autostash --onto= --no-edit',
    load: '-i -x= --interactive --exec= --edit-todo -s= -X= -S[=] --root -r[=] --rebase-merges[=]',
    delete: '--abort --skip --quit -f --force-rebase --no-ff --autosquash',
    operands: 'tune',
    undo: 'git reset --hard ORIG_HEAD',
    judge: judgeRebase,
  },
};

/**
 * Options that also remove ignored files: settings, keys, installed packages. Without those the project may not run.
 */
const WITH_IGNORED = '-a --all';

/** Subcommands for branches, tags, remotes, settings and stashes. */
const REFERENCES: Readonly<Record<string, Spec>> = {
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
      // Git refuses where that would change uncommitted work.
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

/** Subcommands that talk to another repository. */
const SHARING: Readonly<Record<string, Spec>> = {
  fetch: {
    tune: '-4 -6 -a -j= -k -n -q -t -v --all --append --atomic --auto-gc --no-auto-gc --auto-maintenance --deepen= --filter= --ipv4 --ipv6 --jobs= --keep --multiple --negotiate-only --negotiation-tip= --no-prune --no-recurse-submodules --no-tags --porcelain --progress --no-progress --quiet --refetch --tags --unshallow --update-shallow --verbose --write-fetch-head --no-write-fetch-head',
    load: '--upload-pack= -o= --server-option= --recurse-submodules[=] --stdin',
    delete:
      '--depth= --shallow-exclude= --shallow-since= -f -p -P -u --prune --prune-tags --force --update-head-ok --refmap= --set-upstream',
    dry: '--dry-run',
    operands: 'tune',
    judge: judgeFetch,
  },
  'ls-remote': {
    tune: '-h -q -t -b --branches --exit-code --get-url --heads --quiet --refs --sort= --symref --tags',
    load: '--upload-pack= --exec= -o= --server-option=',
    operands: 'tune',
    judge: judgeRemote,
  },
  clone: {
    tune: '-# -4 -6 -b= -j= -l -n -o= -q  -v --also-filter-submodules --bare --branch= --depth= --dissociate --filter= --jobs= --local --mirror --no-checkout --no-hardlinks --no-single-branch --no-tags --origin= --progress --quiet --reject-shallow --no-reject-shallow --shallow-exclude= --shallow-since= --single-branch --sparse --verbose --no-local --tags ',
    load: '-c= --config= -u= --upload-pack= --template= --recurse-submodules[=] --recursive --shallow-submodules --separate-git-dir= --reference= --reference-if-able= --server-option= --bundle-uri= -s --shared',
    operands: 'tune add',
    judge: judgeClone,
  },
  pull: {
    tune: '-4 -6 -j= -n -q -r[=] -v -a --all --autostash --no-autostash --commit --ff --ff-only --jobs= --keep --no-ff --no-rebase --no-tags --progress --no-progress --quiet --rebase[=] --stat --no-stat --tags --unshallow --verbose --verify --no-edit --no-recurse-submodules',
    load: '--upload-pack= -e --edit -X= -s= --strategy= --strategy-option= --recurse-submodules[=] -S[=] --gpg-sign[=]',
    delete: '--depth= --prune -p -f --force --squash --no-commit --refmap= --set-upstream --allow-unrelated-histories',
    operands: 'tune',
    judge: judgePull,
  },
  push: {
    tune: '-4 -6 -q -u -v -n  --atomic --follow-tags --no-follow-tags --ipv4 --ipv6 --no-progress --no-signed --porcelain --progress --quiet --set-upstream --tags --thin --no-thin --verbose --no-recurse-submodules --no-force-with-lease --verify',
    load: '--receive-pack= --exec= --repo= --signed[=] -o= --push-option= --recurse-submodules=',
    delete:
      '-d -f --all --branches --delete --force --force-if-includes --force-with-lease[=] --mirror --no-verify --prune',
    dry: '-n --dry-run',
    undry: '--no-dry-run',
    operands: 'tune',
    judge: judgePush,
  },
};

/** Subcommands that only look, and rare ones. */
const LOOKING: Readonly<Record<string, Spec>> = {
  '': {},
  'log show diff whatchanged range-diff diff-tree diff-index diff-files': diffLike,
  shortlog: { ...diffLike, tune: `${DIFF} -e -s -n -w[=] --email --summary --numbered --group=` },
  'blame annotate': {
    tune: '-# -b -c -C[=] -e -f -h -l -L= -M[=] -n -p -s -S= -t -w --abbrev= --color-by-age --color-lines --date= --encoding= --first-parent --incremental --line-porcelain --porcelain --progress --no-progress --reverse= --root --score-debug --show-email --show-name --show-number --show-stats --since= --ignore-rev=',
    read: '--contents= --ignore-revs-file=',
    load: '--textconv',
    operands: 'read',
  },
  status: {
    tune: '-# -b -s -u[=] -v -z --ahead-behind --no-ahead-behind --branch --column[=] --find-renames[=] --ignore-submodules[=] --ignored[=] --long --no-renames --porcelain[=] --renames --short --show-stash --untracked-files[=] --verbose',
    operands: 'read',
  },
  'ls-files ls-tree': {
    tune: '-# -c -d -f -i -k -l -m -o -r -s -t -u -v -x= -z --abbrev[=] --cached --debug --deduplicate --deleted --directory --eol --error-unmatch --exclude= --exclude-standard --format= --full-name --full-tree --ignored --killed --long --modified --name-only --name-status --no-empty-directory --object-only --others --recurse-submodules --resolve-undo --sparse --stage --unmerged --with-tree=',
    read: '-X= --exclude-from= --exclude-per-directory=',
    operands: 'read',
  },
  describe: {
    tune: '--abbrev= --all --always --broken --candidates= --contains --debug --dirty[=] --exact-match --exclude= --first-parent --long --match= --tags',
    operands: 'tune',
  },
  'rev-parse rev-list name-rev merge-base for-each-ref show-ref show-branch count-objects var check-ignore check-attr check-ref-format cherry verify-commit verify-tag verify-pack merge-tree column stripspace get-tar-commit-id  patch-id':
    {
      tune: '-# -a -d -h -H -n -q -s -v -z --abbrev[=] --abbrev-ref[=] --absolute-git-dir --all --ancestry-path --author= --before= --since= --until= --after= --branches[=] --count --cherry-pick --default= --exclude= --exists --format= --fork-point --git-common-dir --git-dir --glob= --human-readable --independent --is-ancestor --is-bare-repository --is-inside-git-dir --is-inside-work-tree --is-shallow-repository --left-right --max-count= --merge-base --merged[=] --no-merged[=] --merges --no-merges --name-only --no-flags --no-revs --not --objects --octopus --oneline --parents --path-format= --points-at= --contains[=] --prefix= --quiet --refs= --remotes[=] --reverse --revs-only --sha1-name --shell --short[=] --show-cdup --show-object-format --show-prefix --show-superproject-working-tree --show-toplevel --skip= --sort= --sq --stdin --symbolic --symbolic-full-name --tags[=] --topo-order --verbose --verify --write-tree --end-of-options --non-matching --heads --dereference --git-path= --disk-usage[=] --first-parent --boundary --children --mode= --timestamp',
      operands: 'read',
    },
  'cat-file': {
    tune: '-e -p -s -t -z --allow-unknown-type --batch[=] --batch-check[=] --batch-all-objects --buffer --follow-symlinks --unordered --path= --use-mailmap --batch-command[=]',
    load: '--textconv --filters',
    operands: 'tune',
  },
  grep: {
    tune: '-# -a -A= -B= -C= -c -e= -E -F -G -h -H -i -I -l -L -m= -n -o -p -P -q -r -v -w -W -z --all-match --and --break --cached --color[=] --column --count --exclude-standard --extended-regexp --files-with-matches --files-without-match --fixed-strings --full-name --function-context --heading --ignore-case --invert-match --line-number --max-count= --max-depth= --name-only --no-color --no-index --no-textconv --not --null --only-matching --or --perl-regexp --quiet --recurse-submodules --recursive --show-function --text --threads= --untracked --word-regexp --basic-regexp --after-context= --before-context= --context=',
    read: '-f=',
    load: '-O[=] --open-files-in-pager[=] --textconv --ext-grep',
    operands: 'read',
  },
  help: { tune: '-a -g -c --all --guides --config', load: '-w -i -m --web --info --man', operands: 'tune' },
  version: { tune: '--build-options' },
  'gc maintenance pack-refs repack rerere': { tune: '--auto -q --quiet', operands: 'tune', judge: judgeRepack },
  'hash-object': { tune: '-t= --stdin --stdin-paths --path= --no-filters -w --literally', operands: 'read' },
  'symbolic-ref': {
    tune: '-q --short --no-recurse --quiet -m=',
    delete: '-d --delete',
    operands: 'tune',
    judge: (_, reading) => (reading.operands.length > 1 ? unknown('moves a ref') : undefined),
  },
  'filter-repo': { dry: '--dry-run --analyze', operands: 'tune', open: 'rewrites history' },
  prune: { dry: '-n --dry-run', tune: '-v --verbose --progress --expire=', operands: 'tune', open: 'deletes objects' },
  'request-pull': { tune: '-p', operands: 'tune' },
  credential: { open: 'shows or stores a password', operands: 'tune' },
};

/** The version control system git. */
export const GIT_RECORD: Records = {
  git: {
    output: { counts: /^(rev-list --count|merge-base|rev-parse(--short)?|log -1 --format=%[Hh])([\w@][\w./@~^-]*)*$/ },
    reaches: 'fetch ls-remote clone pull push',
    leaves: { as: 'push', when: /^push\b/ },
    values:
      '-m -F -X --pretty --branch -b --config --index-filter --tree-filter --msg-filter --env-filter --source --tool',
    dryRun: {
      add: '-n --dry-run',
      worktree: '-n --dry-run',
      remote: '-n --dry-run',
      notes: '-n --dry-run',
      apply: '--check --stat --numstat --summary',
      lfs: '--dry-run -d',
      reflog: '-n --dry-run',
    },
    helpers:
      'sh ssh git-upload-pack git-receive-pack git-remote-https git-remote-http git-submodule git-bisect gettext man uname basename sed envsubst',
    family: 'version control',
    findings: GIT_FINDINGS,
    judge: judgeSettings,
    tune: '-C= -P --no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --bare --no-lazy-fetch --no-advice -c=',
    idle: '-v -h --help --version --html-path --man-path --info-path --exec-path --list-cmds=',
    load: '--config-env= --exec-path= --git-dir= --work-tree= --namespace= --super-prefix= --attr-source= -p --paginate',
    subs: { ...LOOKING, ...REFERENCES, ...WORKING_TREE, ...SHARING },
  },
};
