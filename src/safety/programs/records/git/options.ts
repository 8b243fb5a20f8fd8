import { unknown } from '../../../verdict.ts';
import type { Spec } from '../../record.ts';

/** `branch` and `tag` list, or make a new name; the rest moves or removes one. */
export const LOOK =
  '-# -a -i -l -n -q -r -v -vv --abbrev[=] --no-abbrev --all --color[=] --no-color --column[=] --no-column --contains[=] --no-contains[=] --create-reflog --format= --ignore-case --list --merged[=] --no-merged[=] --omit-empty --points-at= --quiet --remotes --show-current --sort= --verbose';

/** What every way to show history or changes takes. */
export const DIFF =
  '-# -0 -a -b -B[=] -c --cc -C[=] -D -G= -i -l= -m -M[=] -n= -p -q -r -R -s -S= -t -u -U= -w -W -z -I= --abbrev[=] --abbrev-commit --after= --all --all-match --anchored= --ancestry-path[=] --author= --author-date-order --basic-regexp --before= --binary --bisect --boundary --branches[=] --cached --check --cherry --cherry-mark --cherry-pick --children --clear-decorations --color[=] --color-moved[=] --color-words[=] --combined-all-paths --committer= --compact-summary --count --cumulative --date= --date-order --decorate[=] --decorate-refs= --dense --diff-algorithm= --diff-filter= --diff-merges= --dirstat[=] --do-walk --exclude= --exit-code --extended-regexp --find-copies[=] --find-copies-harder --find-object= --find-renames[=] --first-parent --fixed-strings --follow --format= --full-diff --full-history --full-index --function-context --glob= --graph --grep= --grep-reflog= --histogram --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --ignore-matching-lines= --ignore-space-at-eol --ignore-space-change --ignore-submodules[=] --indent-heuristic --inter-hunk-context= --invert-grep --left-only --left-right --line-prefix= --log-size --mailmap --max-count= --max-parents= --merge --merge-base --merges --min-parents= --minimal --name-only --name-status --no-abbrev --no-abbrev-commit --no-color --no-color-moved --no-decorate --no-ext-diff --no-index --no-mailmap --no-max-parents --no-merges --no-min-parents --no-notes --no-patch --no-prefix --no-renames --no-textconv --no-walk[=] --not --notes[=] --numstat --oneline --parents --patch --patch-with-raw --patch-with-stat --patience --perl-regexp --pickaxe-all --pickaxe-regex --pretty[=] --quiet --raw --reflog --regexp-ignore-case --relative[=] --relative-date --remerge-diff --remotes[=] --reverse --right-only --shortstat --show-linear-break[=] --show-notes[=] --show-pulls --simplify-by-decoration --simplify-merges --since= --since-as-filter= --skip= --source --sparse --staged --stat[=] --stat-count= --stat-width= --stdin --submodule[=] --summary --tags[=] --text --topo-order --unified= --until= --walk-reflogs --word-diff[=] --word-diff-regex= --ws-error-highlight= -L= -g --default= --encoding= --src-prefix= --dst-prefix= --output-indicator-new= --output-indicator-old= --end-of-options --cc --ours --theirs --base -O=';

/** Subcommands that show commits and their differences. */
export const diffLike: Spec = {
  tune: DIFF,
  write: '--output=',
  load: '--ext-diff --textconv --show-signature',
  operands: 'read',
  judge: (_, reading) =>
    reading.given.some(({ value }) => /%G/.test(value ?? '')) ? unknown('checks signatures with gpg') : undefined,
};
