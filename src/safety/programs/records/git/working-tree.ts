import { unknown } from '../../../verdict.ts';
import { makesNames } from '../../computed-names.ts';
import { given, type Spec } from '../../record.ts';
import { judgeAdd, judgeCheckout, judgeNewPlace, judgeOtherCommits, judgeRebase, judgeReset } from './judges.ts';

/** What changes the files, the index or the commits. */
export const WORKING_TREE: Readonly<Record<string, Spec>> = {
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
    judge: (call, reading) =>
      given(reading, '-n', '--dry-run') || !call.machine.files ? undefined : unknown('moves files'),
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
