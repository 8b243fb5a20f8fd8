import type { Records } from '../../record.ts';
import { GIT_FINDINGS } from './findings.ts';
import { judgeSettings } from './judges.ts';
import { LOOKING } from './looking.ts';
import { REFERENCES } from './references.ts';
import { SHARING } from './sharing.ts';
import { WORKING_TREE } from './working-tree.ts';

/** The version control system git. */
export const GIT_RECORD: Records = {
  git: {
    output: {
      counts: /^(rev-list --count|merge-base|rev-parse( --short)?|log -1 --format=%[Hh])( [\w@][\w./@~^-]*)*$/,
    },
    reaches: 'fetch ls-remote clone pull push',
    values:
      '-C -c --git-dir --work-tree --namespace -m --message -F --file --author --date --onto -X --strategy-option --format --pretty --grep --since --until --after --before --branch -b --depth --reference --origin --config --push-option --upload-pack --receive-pack --index-filter --tree-filter --msg-filter --env-filter --source --pathspec-from-file --reason --tool',
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
