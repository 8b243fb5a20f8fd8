import type { Rule } from './rule.ts';

/** Other version control, and the forges; what git itself loses stands in its record. */
export const VERSION_CONTROL_RULES: readonly Rule[] = [
  {
    name: 'git rewrite history',
    kept: true,
    programs: 'git-filter-repo bfg',
    shapes: [
      '--path|--path-glob|--path-regex|--invert-paths|--delete-files|--delete-folders|--strip-blobs-bigger-than|--replace-text',
    ],
    reason: 'rewrites history',
    match: ['bfg --delete-files x', 'git-filter-repo --path x'],
    pass: ['bfg --help'],
  },
  {
    name: 'forge branch delete',
    programs: 'gh glab',
    shapes: ['pr merge|close -d|--delete-branch', 'mr merge -d|--remove-source-branch'],
    reason: 'deletes the branch on the forge',
    match: ['gh pr merge 12 --squash --delete-branch', 'gh pr close 12 -d', 'glab mr merge 3 -d'],
    pass: ['gh pr view 12', 'gh pr list --search "delete-branch"', 'gh pr create -d'],
  },
  {
    name: 'forge overwrite',
    shapes: ['api -X|--method=/^(PUT|PATCH|put|patch)$/', 'api graphql'],
    of: {
      'gh glab': { any: [{ not: { second: /^graphql$/ } }, { call: /\bmutation\b/ }, { input: /\bmutation\b/ }] },
    },
    reason: 'changes something on the forge',
    match: [
      'gh api -X PATCH repos/a/b -f private=false',
      'gh api --method PUT repos/a/b/pulls/3/merge',
      "gh api graphql -f query='mutation { deleteRef(input: {refId: 1}) { clientMutationId } }'",
    ],
    pass: [
      "gh api graphql -f query='query { viewer { login } }'",
      'gh api repos/a/b',
      'gh api -X GET search/issues -f q=mutation',
    ],
  },
  {
    name: 'forge delete',
    shapes: [
      '* delete|remove|archive|delete-asset|disable|transfer',
      'run cancel|delete',
      'cache delete',
      'codespace|cs delete|stop',
      'repo sync --force',
      'api -X|--method=DELETE',
      'api --method=DELETE',
      'api -X=DELETE',
      'auth logout',
      'ssh-key|gpg-key|secret|variable|label|release|gist|repo|project|extension delete|remove|rm',
    ],
    of: {
      'gh glab hub tea': { not: { first: /^(search|help|completion|browse)$/ } },
    },
    reason: 'deletes something on the forge',
    match: [
      'gh repo delete x/y --yes',
      'gh release delete v1',
      'gh api -X DELETE /repos/x/y',
      'gh secret delete X',
      'gh api --method DELETE repos/a/b/git/refs/heads/c',
    ],
    pass: [
      'gh pr list',
      'gh repo view',
      'gh api repos/x/y',
      'gh issue list --label delete',
      'gh pr create --title "delete x"',
      'gh issue create -t "remove y"',
    ],
  },
  {
    name: 'other version control',
    shapes: [
      'strip|purge|rollback|revert|update|histedit|rebase|remove|rm|forget|uncommit|unamend|backout|prune|obliterate|abandon|undo|restore|edit|op|clean|delete|del|move|unrecord|unpull|hide|cleanup',
    ],
    of: {
      'hg sl': {
        any: [
          { first: /^(strip|purge|rollback|revert|histedit|rebase|remove|rm|prune|uncommit|unamend|hide|clean)$/ },
          { first: /^update$/, shape: '-C|--clean' },
        ],
      },
      svn: {
        any: [
          { first: /^(revert|rm|remove|delete|del)$/ },
          { first: /^cleanup$/, shape: '--remove-unversioned|--remove-ignored|--vacuum-pristines' },
        ],
      },
      jj: { any: [{ first: /^(abandon|undo|restore|rebase)$/ }, { first: /^op$/, second: /^(restore|abandon)$/ }] },
      'fossil bzr cvs darcs pijul': { first: /^(rm|revert|clean|purge|delete|undo|unrecord|obliterate)$/ },
      p4: { first: /^(obliterate|revert|delete|clean)$/ },
    },
    reason: 'throws away changes or history',
    match: ['hg strip 3', 'svn revert -R .', 'jj abandon x', 'hg update -C', 'p4 obliterate -y //x', 'svn rm x'],
    pass: ['hg status', 'svn up', 'jj log', 'hg update', 'p4 obliterate -n //x'],
  },
  {
    name: 'other version control there',
    of: {
      'hg sl': { first: /^push$/, shape: '-f|--force|--publish' },
      jj: { first: /^git$/, second: /^push$/, shape: '--deleted|--allow-backwards' },
      svnadmin: { first: /^(rmtxns|rmlocks|setrevprop|load|delrevprop)$/ },
      cvs: { first: /^(admin|up|update)$/, line: /(^|\s)(-C|-o\S+)/ },
      'arc gt spr': { first: /^(land|submit|delete)$/, shape: '-f|--force' },
    },
    reason: 'overwrites what others have, or throws changes away',
    match: ['hg push -f', 'jj git push --deleted', 'svnadmin rmtxns repo 1', 'cvs -Q update -C'],
    pass: ['hg push', 'jj git fetch', 'svnadmin verify repo', 'cvs update'],
  },
];
