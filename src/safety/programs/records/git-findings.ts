/** The findings on git commands, and the functions that judge them. */
import { isAbsolute, join } from 'node:path';
import { isCredential } from '../../../knowledge/credential-files.ts';
import { pattern } from '../../../text/pattern.ts';
import type { Machine } from '../../shell/machine.ts';
import { hasUnknown, NOT_KNOWN, UNKNOWN } from '../../shell/taint.ts';
import { destructive, type StaticVerdict, unknown } from '../../verdict.ts';
import { broughtCode, configuredFetch, configuredPush, overwritesIgnored } from '../git-state.ts';
import { bringsFiles, isOwnProject, lookAt, specialDirectory } from '../paths.ts';
import { type CallFacts, given, type Reading, type RecordFinding, row } from '../record.ts';

/** Names of files that belong in no repository. */
const KEYS =
  /(^|\/)(\.env(\.(local|production|prod|staging))?|id_(rsa|dsa|ecdsa|ed25519)|\.netrc|\.pgpass|\.git-credentials|credentials(\.json)?|[\w.-]+\.(p12|pfx|key))$/;

/** Losses of history, branches or uncommitted work. */
export const GIT_FINDINGS: readonly RecordFinding[] = [
  row('git push --force', 'git push --force', {
    shapes: ['push --force|--force-with-lease|--force-if-includes|--mirror'],
  }),
  row('git push -f', 'git push -f', { shapes: ['push -f', 'push /^\\+/'] }),
  row('git push --force', 'git push --force', {
    shapes: ['send-pack --force|--mirror !--dry-run', 'send-pack /^\\+/ !--dry-run'],
  }),
  row('credential leaves', 'puts a key, token or password into the history, which is given away', {
    shapes: ['add|stage'],
    // Key files have names that a shape can’t describe.
    when: (call) =>
      call.operands.slice(1).some(({ text }) => isCredential(text) && (call.has('-f', '--force') || KEYS.test(text))),
  }),
  row('git runs foreign code', 'sets what git runs later, in every repository', {
    shapes: ['config'],
    // A hooks directory of the project is judged when it is written.
    asks: {
      line: /(?=.*--(global|system)\b).*\bcore\.(hookspath|sshcommand|fsmonitor|gitproxy|askpass) \S|\bcore\.hookspath [/~]/i,
    },
  }),
  row('git resolves by losing', "throws one side's changes away where they differ", {
    shapes: ['merge|pull|rebase|cherry-pick'],
    asks: { line: /(^|\s)(-s|--strategy)[= ]?ours\b|(^|\s)(-X|--strategy-option)[= ]?(ours|theirs)\b/ },
  }),
  row('git push --delete', 'deletes on the remote', { shapes: ['push --delete|-d|--prune', 'push /^:./'] }),
  row('git reset --hard', 'git reset --hard', {
    kept: true,
    named: 'repository',
    shapes: ['reset --hard|--merge|--keep'],
  }),
  row('git clean -fd', 'git clean -fd', {
    kept: true,
    named: 'repository',
    shapes: ['clean -f|--force|-x|-X|-d|--no-dry-run'],
    asks: { any: [{ shape: '-f|--force|--no-dry-run' }, { line: /clean\.requireForce=(false|0)/i }] },
  }),
  row('git branch -D', 'git branch -D', {
    kept: true,
    named: 'repository',
    shapes: ['branch -D|-M|-f|--force', 'branch -d|--delete -r|--remotes'],
  }),
  row('git discard', 'throws away uncommitted changes', {
    kept: true,
    shapes: [
      'checkout -f|--force',
      'checkout --',
      'checkout --ours|--theirs',
      'checkout /^(\\.|:\\/|\\*)$/',
      'checkout /\\.[a-zA-Z]\\w{0,4}$/',
      'checkout -B',
      'checkout /\\/$/',
      'switch -f|--force|--discard-changes|-C',
      'restore +',
      'checkout-index -f|-a',
    ],
    asks: {
      not: { line: /(^| )--$/, not: { shape: '-f|--force' } },
      any: [
        { first: /^restore$/, any: [{ not: { shape: '--staged|-S' } }, { shape: '--worktree|-W' }] },
        {
          not: [
            { first: /^restore$/ },
            { first: /^checkout$/, shape: '-b|--orphan|-t|--track', not: { shape: '-f|--force' } },
          ],
        },
      ],
    },
  }),
  row('git stash drop', 'deletes stashed changes', { kept: true, shapes: ['stash drop|clear'] }),
  row('git rewrite history', 'rewrites history', {
    kept: true,
    shapes: [
      'filter-branch|filter-repo',
      'replace +',
      'update-ref',
      'symbolic-ref * +',
      'fast-import -f|--force',
      'fetch /^\\+?[^:]+:refs\\/heads/',
      'rebase --root|--exec|-x',
      'svn reset',
      'p4 rebase',
    ],
    asks: { any: [{ not: { first: /^replace$/ } }, { shape: '-d|--delete|-f|--force' }, { shape: '* *' }] },
  }),
  row('git drop objects', 'deletes data that could still be recovered', {
    kept: true,
    shapes: [
      'reflog expire|delete',
      'gc --prune|--aggressive',
      'prune',
      'prune-packed',
      'remote prune',
      'fetch -p|--prune|--prune-tags',
      'lfs prune',
    ],
    asks: {
      any: [
        { first: /^gc$/, value: ['--prune', /^(now|all)?$/], shape: '--prune' },
        { not: [{ first: /^gc$/ }, { first: /^prune-packed$/ }, { first: /^fetch$/ }, { first: /^remote$/ }] },
      ],
    },
  }),
  row('git delete', 'deletes a tag, remote, file or setting', {
    kept: true,
    shapes: [
      'tag -d|--delete|-f|--force',
      'remote remove|rm',
      'worktree remove|prune',
      'submodule deinit',
      'notes remove|prune',
      'rm',
      'mv -f|--force',
      'config --remove-section',
      'rerere clear|forget',
      'annex drop|dropunused|uninit',
      'flow *  delete',
    ],
    asks: { not: { first: /^rm$/, shape: '--cached' } },
  }),
  row('git read-tree', 'overwrites the working tree', {
    kept: true,
    shapes: ['read-tree -u|--reset', 'checkout-index -f'],
  }),
  row('git fetch --force', 'moves local branches to those of the remote', {
    shapes: ['fetch -f|--force /:/', 'fetch /^\\+[^:]*:(?!refs\\/remotes\\/)./'],
  }),
  row('git branch -d of a list', 'deletes branches that are not named here', {
    kept: true,
    shapes: ['branch -d|--delete'],
    asks: { later: NOT_KNOWN },
  }),
  row('git refs and index', 'removes a ref, rewrites history or takes files out of the index', {
    kept: true,
    shapes: ['symbolic-ref -d|--delete', 'lfs migrate import|export', 'update-index --force-remove|--remove'],
  }),
];

/** Settings that only change the display or the recorded author; section and name in lower case. */
const HARMLESS_KEY = pattern(String.raw`
    ^(user\.(name|email)|author\.\w+|committer\.\w+|color\..+|advice\..+|column\..+|core\.(quotepath|autocrlf
    |eol|safecrlf|ignorecase|abbrev|whitespace|commentchar|longpaths|precomposeunicode|preloadindex
    |untrackedcache|compression|filemode)|init\.defaultbranch|pull\.(ff|rebase)|merge\.(ff|conflictstyle|stat)
    |diff\.(algorithm|renames|colormoved|context|mnemonicprefix|noprefix|renamelimit)|log\.(date|decorate|follow
    |abbrevcommit)|status\..+|blame\..+|grep\.(linenumber|patterntype|extendedregexp|column)|rerere\.enabled
    |branch\.sort|tag\.sort|fetch\.parallel|pack\.threads|http\.postbuffer|gc\.auto|commit\.verbose
    |help\.autocorrect-none)$
  `);

/** Returns whether a setting is harmless. Section and name are compared in any case, the part between them exactly. */
function isHarmlessKey(key: string): boolean {
  return HARMLESS_KEY.test(key.toLowerCase()) && !hasUnknown(key);
}

export function judgeConfig(_: CallFacts, reading: Reading) {
  const [key, ...values] = reading.operands.map(({ text }) => text);
  const changes = [
    '--add',
    '--unset',
    '--unset-all',
    '--replace-all',
    '--rename-section',
    '--remove-section',
    '--edit',
    '-e',
  ];
  if (given(reading, ...changes) && reading.given.some(({ name }) => /^(--get|--list|-l$|--name-only)/.test(name)))
    return unknown('reads and changes settings of git at once');
  if (
    given(reading, '--get', '--get-all', '--get-regexp', '--list', '-l', '--get-urlmatch', '--get-color', '--name-only')
  )
    return undefined;
  if (given(reading, '--unset', '--unset-all', '--replace-all', '--rename-section', '--remove-section', '--edit', '-e'))
    return unknown('changes settings of git');
  if (key === undefined || /^(get|list)$/.test(key)) return undefined;
  if (values.length === 0)
    return key.includes('.') ? undefined : unknown(`git config ${key.slice(0, 40)} is not known`);
  if (!isHarmlessKey(key)) return unknown(`git setting ${key.slice(0, 40)} is not known to be harmless`);
  return given(reading, '--add') ? undefined : unknown('replaces a setting of git, if there is one');
}

/** Subcommands that only look, with any options. */
const LOOKS = /^(|status|log|show|diff|blame|describe|rev-parse|rev-list|ls-files|ls-tree|grep|shortlog|cat-file)$/;

/** Directories in which any user may write. */
const ANYBODYS = /^\/(tmp|var\/tmp|dev\/shm)(\/|$)/;

/** Subcommands that run hooks of the repository. */
const HOOKED = /^(pull|commit|merge|rebase|checkout|switch|push|am|cherry-pick|revert|worktree)$/;

function judgeOtherPlace(machine: Machine, place: string, subcommand: string): StaticVerdict | undefined {
  if (ANYBODYS.test(place)) return unknown('obeys the settings of a repository in a public directory');
  return HOOKED.test(subcommand) && !isOwnProject(machine, place)
    ? unknown('runs the hooks of another repository')
    : undefined;
}

/** Judges settings that a git command has for this one call (`-c`). */
export function judgeSettings(call: CallFacts, reading: Reading) {
  const { machine } = call;
  if (machine.scope.elsewhere === 'machine' && !LOOKS.test(reading.path[0] ?? ''))
    return unknown('changes a repository on another machine');
  if (ANYBODYS.test(machine.scope.near ?? '') && !isOwnProject(machine, '.'))
    return unknown('obeys the settings of a repository in a public directory');
  if (writesElsewhere(reading)) return unknown('writes a file whose place -C decides');
  for (const { name, value = '' } of reading.given.slice(0, reading.before)) {
    const found = name === '-C' ? judgeOtherPlace(machine, value, reading.path[0] ?? '') : undefined;
    if (found) return found;
    if (name === '-c' && !isHarmlessKey(value.split('=')[0] ?? ''))
      return unknown('changes a git setting that may not be harmless');
  }
  return broughtCode(call, reading);
}

/** Returns whether written files are named relative to another directory, as after `git -C dir`. */
function writesElsewhere({ given: all, before, operands, level }: Reading): boolean {
  if (!all.slice(0, before).some(({ name, value }) => name === '-C' && value !== '.')) return false;
  const moves = (path = '') => path !== '-' && !isAbsolute(path);
  return (
    all.some(({ role, value }) => /^(write|add|into|make)$/.test(role) && value !== undefined && moves(value)) ||
    operands.some(({ text }, at) => level.operands[Math.min(at, level.operands.length - 1)] === 'write' && moves(text))
  );
}

/** Judges the target of a clone: the given one, or the name in the address, relative to the directory of `-C`. */
export function judgeClone(call: CallFacts, reading: Reading) {
  const [source, target] = reading.operands.map(({ text }) => text);
  const name = target ?? /([^/:]+?)(?:\.git)?\/*$/.exec(source ?? '')?.[1] ?? '';
  bringsFiles(call.machine, name);
  return judgeRemote(call, reading) ?? judgeNewPlace(call, reading, name);
}

/** Judges a directory that git fills: whether tools load files from it. */
export function judgeNewPlace({ machine }: CallFacts, reading: Reading, name = reading.operands[0]?.text ?? '.') {
  if (reading.path[0] === 'worktree') bringsFiles(machine, name);
  const from = reading.given.slice(0, reading.before).findLast((option) => option.name === '-C')?.value;
  return specialDirectory(machine, from === undefined || isAbsolute(name) ? name : join(from, name));
}

/** Judges the source of a fetch: a plain address or name, no refspec that overwrites, no helper. */
export function judgeRemote(_: CallFacts, reading: Reading) {
  for (const { text } of reading.operands) {
    if (/::/.test(text)) return unknown('a remote helper can run commands');
    if (text.startsWith('+') && !/:refs\/remotes\//.test(text)) return unknown('overwrites a branch');
  }
  return undefined;
}

/** Judges a fetch: into `refs/remotes`, or into a branch of that name that only moves forward. */
export function judgeFetch(call: CallFacts, reading: Reading) {
  const [, ...refs] = reading.operands.map(({ text }) => text);
  if (refs.some((text) => /:refs\/(?!remotes\/[\w-])/.test(text)))
    return unknown('moves or makes refs of this repository');
  return judgeRemote(call, reading) ?? (refs.length > 0 ? undefined : configuredFetch(call, reading));
}

/** Judges `git add`: `-f` adds ignored files, among which may be a key or a password. */
export function judgeAdd(_: CallFacts, reading: Reading) {
  const forced = given(reading, '-f', '--force') && !given(reading, '-n', '--dry-run');
  const all = given(reading, '-A', '--all') || reading.operands.some(({ text }) => /^[./]*$|[*?[]/.test(text));
  return forced && all ? unknown('adds all ignored files') : undefined;
}

/** Judges setting an upstream, to which later pushes go. */
export function judgeUpstream(_: CallFacts, reading: Reading) {
  return reading.given.some(
    ({ name, value }) => /^(-u|--set-upstream-to)$/.test(name) && !/^(origin|upstream)\//.test(value ?? ''),
  )
    ? unknown('sets a branch to be pushed to an unknown remote')
    : undefined;
}

/** The usual names of remotes; the owner of another name or address can’t be told from the command. */
const USUAL_REMOTE = /^(origin|upstream)$/;

/** Judges a push: the current branch to the usual remote is known; another remote or branch, or a rewrite, is not. */
export function judgePush(call: CallFacts, reading: Reading) {
  const { machine } = call;
  const [remote, ...refs] = reading.operands.map(({ text }) => text);
  if (refs.some((text) => /^[+:]|::/.test(text))) return unknown('overwrites or deletes on the remote');
  if (remote !== undefined && !USUAL_REMOTE.test(remote)) {
    machine.sends = true;
    return unknown('pushes commits to an unknown remote');
  }
  if (refs.some((text) => /:/.test(text) || hasUnknown(text)))
    return unknown('pushes commits to a branch with another name');
  if (machine.written.has(SETTINGS)) return unknown('pushes commits to a remote that was added just now');
  return given(reading, '-n', '--dry-run') ? undefined : configuredPush(call, reading);
}

/** Judges `git pull`, which merges from the user’s own remote; any other address is unknown. */
export function judgePull(call: CallFacts, reading: Reading) {
  bringsFiles(call.machine, '.');
  const [remote, branch] = reading.operands.map(({ text }) => text);
  if (remote !== undefined && /[:/]/.test(remote)) return unknown('merges from an address');
  return (
    judgeRemote(call, reading) ??
    (call.machine.written.has(SETTINGS) ? unknown('merges from a remote that was added just now') : undefined) ??
    configuredFetch(call, reading) ??
    overwritesIgnored(
      call,
      reading,
      branch === undefined ? '@{upstream}' : remote === '.' ? branch : `${remote}/${branch}`,
    )
  );
}

/** Judges commands that bring other commits into the working tree, whose files tools then load. */
export function judgeOtherCommits(call: CallFacts, reading: Reading) {
  const first = reading.operands[0]?.text;
  if (first === undefined) return undefined;
  if (!given(reading, '-b', '-c', '--create', '--orphan')) bringsFiles(call.machine, '.');
  return overwritesIgnored(call, reading, first);
}

/** Judges a rebase: it makes new commits, as `commit --amend` does. */
export function judgeRebase({ machine }: CallFacts) {
  bringsFiles(machine, '.');
  return unknown('rewrites commits');
}

/** Judges restoring a stash into the working tree. */
export function judgeStash({ machine }: CallFacts) {
  bringsFiles(machine, '.');
  return undefined;
}

/** Words that can’t be a branch: a pattern, a pathspec, a path. */
const NO_BRANCH = /[*?[\\]|^:|^(\.{1,2})?(\/|$)|^\.\.?$|\/$/;
/** Words that are more likely a directory, where nothing can be looked up. */
const USUAL_DIRECTORY =
  /^(src|source|lib|libs|app|apps|bin|pkg|cmd|internal|include|tests?|spec|docs?|scripts?|config|conf|public|static|assets|examples?|packages|tools|data)$/;

/** Judges `git checkout [COMMIT] [--] FILE`, which overwrites files with an older version. */
export function judgeCheckout(call: CallFacts, reading: Reading) {
  const [first, ...rest] = reading.operands.map(({ text }) => text);
  if (given(reading, '-b', '--orphan') || first === undefined) return judgeOtherCommits(call, reading);
  if (rest.length > 0) return unknown('puts an older version over files');
  if (hasUnknown(first)) return unknown('may put an older version over files');
  const { machine } = call;
  const from = reading.given
    .slice(0, reading.before)
    .flatMap(({ name, value }) => (name === '-C' ? (value ?? '') : []));
  const seen = lookAt(machine, join(...from, first));
  // If a branch has the same name, git refuses the ambiguous word.
  if (NO_BRANCH.test(first) || seen === 'file' || seen === 'directory')
    return destructive('git discard', 'throws away uncommitted changes');
  return seen === 'unseen' || (seen === 'unknown' && USUAL_DIRECTORY.test(first))
    ? unknown('may put an older version over files')
    : judgeOtherCommits(call, reading);
}

/** Judges `git reset`: with names it changes only the index; with a commit the branch, which the reflog can restore. */
export function judgeReset({ machine }: CallFacts, reading: Reading) {
  const [first, ...rest] = reading.operands.map(({ text }) => text);
  if (first === undefined || first === 'HEAD' || rest.length > 0) return undefined;
  if (given(reading, '--soft') && /^(HEAD|ORIG_HEAD)?([~^]\d*|@\{\d+\})+$/.test(first)) return undefined;
  const commit = /[~^@]|^origin\/|^[0-9a-f]{7,40}$|^(main|master|develop)$/.test(first) || hasUnknown(first);
  const moves = given(reading, '--soft', '--mixed', '-N', '--intent-to-add') || commit;
  return moves || (machine.files && lookAt(machine, first) === 'absent')
    ? unknown('moves the branch to another commit')
    : undefined;
}

/** Judges adding a remote, which is harmless until something is sent to it or fetched from it. */
export function judgeRemoteAdd(call: CallFacts, reading: Reading) {
  call.machine.written.set(SETTINGS, UNKNOWN);
  return judgeRemote(call, reading);
}

/** A placeholder for the repository’s settings among the files that the command writes. */
const SETTINGS = '.git/config';

/** Judges `git gc --auto`, which git also runs automatically from time to time. */
export function judgeRepack(call: CallFacts, reading: Reading) {
  return call.operands[0]?.text === 'gc' && given(reading, '--auto') && reading.operands.length === 0
    ? undefined
    : unknown('repacks git’s objects');
}

/** Judges computed file names: harmless if the listed directory has no file of that form. */
export function makesNames({ machine }: CallFacts, form: RegExp): StaticVerdict | undefined {
  const { cwd } = machine.scope;
  const around = cwd === undefined ? undefined : machine.reading?.look(cwd);
  const known = around?.kind === 'directory' && ![...around.names].some((name) => form.test(name));
  return known ? undefined : unknown('writes files whose names it computes');
}
