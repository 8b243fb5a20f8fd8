import { unknown } from '../../../verdict.ts';
import type { Spec } from '../../record.ts';
import { judgeRepack } from './judges.ts';
import { DIFF, diffLike } from './options.ts';

/** What only looks, and what is rarely called. */
export const LOOKING: Readonly<Record<string, Spec>> = {
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
  'gc maintenance pack-refs repack rerere': {
    tune: '--auto -q --quiet',
    operands: 'tune',
    judge: judgeRepack,
  },
  'hash-object': { tune: '-t= --stdin --stdin-paths --path= --no-filters -w --literally', operands: 'read' },
  'symbolic-ref': {
    tune: '-q --short --no-recurse --quiet -m=',
    delete: '-d --delete',
    operands: 'tune',
    judge: (_, reading) => (reading.operands.length > 1 ? unknown('moves a ref') : undefined),
  },
  'filter-repo': { dry: '--dry-run --analyze', operands: 'tune', open: 'rewrites history' },
  prune: {
    dry: '-n --dry-run',
    tune: '-v --verbose --progress --expire=',
    operands: 'tune',
    open: 'deletes objects',
  },
  'request-pull': { tune: '-p', operands: 'tune' },
  credential: { open: 'shows or stores a password', operands: 'tune' },
};
