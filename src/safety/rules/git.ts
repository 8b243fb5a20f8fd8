import { hasUnknown } from '../shell/taint.ts';
import type { Rule } from './rule.ts';

/** Git and other version control: what is lost when history, branches or uncommitted work go. */
export const GIT_RULES: readonly Rule[] = [
  {
    name: 'git push --force',
    programs: 'git',
    shapes: ['push --force|--force-with-lease|--force-if-includes|--mirror'],
    reason: 'git push --force',
    match: [
      'git push --force',
      'git push origin main --force',
      'git -C x push --force-with-lease',
      'git push --mirror backup',
    ],
    pass: ['git push', 'git push --force --dry-run', 'git push -n --force', 'git log --grep="push --force"'],
  },
  {
    name: 'git push -f',
    programs: 'git',
    shapes: ['push -f', 'push /^\\+/'],
    reason: 'git push -f',
    match: ['git push -f', 'git -c a=b push -uf origin x', 'git push origin +main', 'git push origin main -f'],
    pass: ['git push -u origin main', 'git fetch -f'],
  },
  {
    name: 'git push --delete',
    programs: 'git',
    shapes: ['push --delete|-d|--prune', 'push /^:./'],
    reason: 'deletes on the remote',
    match: ['git push origin --delete x', 'git push origin :x', 'git push -d origin x', 'git push --prune origin'],
    pass: ['git push origin x:y', 'git push --tags'],
  },
  {
    name: 'git reset --hard',
    programs: 'git',
    shapes: ['reset --hard|--merge|--keep'],
    reason: 'git reset --hard',
    match: [
      'git reset --hard',
      'git reset --hard HEAD~3',
      'git reset HEAD~1 --hard',
      'git -C r reset --hard origin/main',
    ],
    pass: ['git reset', 'git reset --soft HEAD~1', "git log --grep='reset --hard'", 'git reset HEAD file'],
  },
  {
    name: 'git clean -fd',
    programs: 'git',
    shapes: ['clean -f|--force|-x|-X|-d'],
    when: (call) =>
      call.has('-f', '--force') ||
      /clean\.requireForce=(false|0)/i.test(call.args.map((field) => field.text).join(' ')),
    reason: 'git clean -fd',
    match: [
      'git clean -fd',
      'git clean -f',
      'git clean -xdf',
      'git clean -ffdx',
      'git -c clean.requireForce=false clean -d',
    ],
    pass: ['git clean -n', 'git clean -nfd', 'git clean --dry-run -fd'],
  },
  {
    name: 'git branch -D',
    programs: 'git',
    shapes: ['branch -D|-M|-f|--force', 'branch -d|--delete -r|--remotes'],
    reason: 'git branch -D',
    match: [
      'git branch -D x',
      'git branch --delete --force x',
      'git branch -f main HEAD~3',
      'git branch -M main other',
    ],
    pass: ['git branch', 'git branch -a', 'git branch new', 'git branch --list "*-D"', 'git branch -vv'],
  },
  {
    name: 'git discard',
    programs: 'git',
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
    when: (call) => {
      const dashes = call.args.findIndex((field) => field.text === '--');
      if (dashes === call.args.length - 1 && !call.has('-f', '--force')) return false;
      if (call.operands[0]?.text === 'restore') return !call.has('--staged', '-S') || call.has('--worktree', '-W');
      if (
        call.operands[0]?.text === 'checkout' &&
        call.has('-b', '--orphan', '-t', '--track') &&
        !call.has('-f', '--force')
      )
        return false;
      return true;
    },
    reason: 'throws away uncommitted changes',
    match: [
      'git checkout -- .',
      'git checkout .',
      'git checkout -f main',
      'git restore .',
      'git restore src/a.ts',
      'git switch -f main',
      'git checkout HEAD -- a.txt',
      'git checkout -B main origin/main',
      'git restore --staged --worktree .',
    ],
    pass: [
      'git checkout main',
      'git checkout -b fix/a.b',
      'git restore --staged .',
      'git switch -c new',
      'git checkout v1.2',
    ],
  },
  {
    name: 'git stash drop',
    programs: 'git',
    shapes: ['stash drop|clear'],
    reason: 'deletes stashed changes',
    match: ['git stash drop', 'git stash clear', 'git stash drop stash@{1}'],
    pass: ['git stash', 'git stash list', 'git stash push -m "drop"', 'git stash show'],
  },
  {
    name: 'git rewrite history',
    programs: 'git git-filter-repo bfg',
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
    when: (call) => {
      if (call.program !== 'git') return true;
      const [sub, second] = call.operands.map((operand) => operand.text);
      if (sub === 'replace') return call.has('-d', '--delete', '-f', '--force') || second !== undefined;
      return true;
    },
    reason: 'rewrites history',
    match: [
      'git filter-branch --tree-filter x HEAD',
      'git update-ref -d refs/heads/x',
      'git filter-repo --path x',
      'bfg --delete-files x',
    ],
    pass: ['git rebase --continue', 'git commit -m "amend"', 'git filter-repo --analyze', 'git log --oneline'],
  },
  {
    name: 'git drop objects',
    programs: 'git',
    shapes: [
      'reflog expire|delete',
      'gc --prune|--aggressive',
      'prune',
      'prune-packed',
      'remote prune',
      'fetch -p|--prune|--prune-tags',
      'lfs prune',
    ],
    when: (call) => {
      const sub = call.operands[0]?.text;
      if (sub === 'gc') return /^(now|all)$/.test(call.value('--prune') ?? 'now') && call.has('--prune');
      return sub !== 'prune-packed' && sub !== 'fetch' && !(sub === 'remote');
    },
    reason: 'deletes what could still be recovered',
    match: ['git reflog expire --expire=now --all', 'git gc --prune=now', 'git prune', 'git lfs prune'],
    pass: ['git reflog', 'git gc', 'git gc --auto', 'git prune -n', 'git fetch --prune', 'git remote prune origin'],
  },
  {
    name: 'git delete',
    programs: 'git',
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
    when: (call) => !(call.operands[0]?.text === 'rm' && call.has('--cached')),
    reason: 'deletes a tag, remote, file or setting',
    match: [
      'git tag -d v1',
      'git remote remove origin',
      'git worktree remove ../x',
      'git rm -r old',
      'git rm f',
      'git submodule deinit -f x',
    ],
    pass: [
      'git tag v1',
      'git remote -v',
      'git rm --cached x',
      'git worktree list',
      'git rm -n x',
      'git config user.name',
    ],
  },
  {
    name: 'git read-tree',
    programs: 'git',
    shapes: ['read-tree -u|--reset', 'checkout-index -f'],
    reason: 'overwrites the working tree',
    match: ['git read-tree --reset -u HEAD'],
    pass: ['git read-tree --help', 'git ls-tree HEAD'],
  },
  {
    name: 'git fetch --force',
    programs: 'git',
    shapes: ['fetch -f|--force /:/', 'fetch /^\\+[^:]*:(?!refs\\/remotes\\/)./'],
    reason: 'moves local branches to what the remote has',
    match: ['git fetch -f origin main:main', 'git fetch origin +main:main'],
    pass: [
      'git fetch',
      'git fetch -f',
      'git fetch origin main:main',
      'git fetch origin +refs/heads/*:refs/remotes/origin/*',
    ],
  },
  {
    name: 'git branch -d of a list',
    programs: 'git',
    shapes: ['branch -d|--delete'],
    when: (call) => call.operands.slice(1).some(({ text }) => hasUnknown(text)),
    reason: 'deletes branches that are not named here',
    match: ['git branch --merged | grep -v main | xargs -n1 git branch -d', 'git branch -d $(git branch --merged)'],
    pass: ['git branch --merged | cat', 'git branch --list', 'git branch new'],
  },
  {
    name: 'git refs and index',
    programs: 'git',
    shapes: ['symbolic-ref -d|--delete', 'lfs migrate import|export', 'update-index --force-remove|--remove'],
    reason: 'removes a ref, rewrites history or takes files out of the index',
    match: [
      'git symbolic-ref --delete HEAD',
      'git lfs migrate import --everything',
      'git update-index --force-remove f',
    ],
    pass: ['git symbolic-ref HEAD', 'git lfs migrate info', 'git update-index --refresh', 'git lfs ls-files'],
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
    programs: 'gh glab',
    shapes: ['api -X|--method=/^(PUT|PATCH|put|patch)$/', 'api graphql'],
    when: (call) =>
      call.operands[1]?.text !== 'graphql' ||
      /\bmutation\b/.test(call.line) ||
      /\bmutation\b/.test(call.io.stdin ?? ''),
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
    programs: 'gh glab hub tea',
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
    when: (call) => !/^(search|help|completion|browse)$/.test(call.operands[0]?.text ?? ''),
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
    programs: 'hg svn jj fossil bzr p4 cvs darcs pijul sl',
    shapes: [
      'strip|purge|rollback|revert|update|histedit|rebase|remove|rm|forget|uncommit|unamend|backout|prune|obliterate|abandon|undo|restore|edit|op|clean|delete|del|move|unrecord|unpull|hide|cleanup',
    ],
    when: (call) => {
      const sub = call.operands[0]?.text ?? '';
      const { program } = call;
      if (program === 'hg' || program === 'sl')
        return (
          /^(strip|purge|rollback|revert|histedit|rebase|remove|rm|prune|uncommit|unamend|hide|clean)$/.test(sub) ||
          (sub === 'update' && call.has('-C', '--clean'))
        );
      if (program === 'svn')
        return (
          /^(revert|rm|remove|delete|del)$/.test(sub) ||
          (sub === 'cleanup' && call.has('--remove-unversioned', '--remove-ignored', '--vacuum-pristines'))
        );
      if (program === 'jj')
        return (
          /^(abandon|undo|restore|rebase)$/.test(sub) ||
          (sub === 'op' && /^(restore|abandon)$/.test(call.operands[1]?.text ?? ''))
        );
      if (program === 'p4') return /^(obliterate|revert|delete|clean)$/.test(sub);
      return /^(rm|revert|clean|purge|delete|undo|unrecord|obliterate)$/.test(sub);
    },
    reason: 'throws away changes or history',
    match: ['hg strip 3', 'svn revert -R .', 'jj abandon x', 'hg update -C', 'p4 obliterate -y //x', 'svn rm x'],
    pass: ['hg status', 'svn up', 'jj log', 'hg update', 'p4 obliterate -n //x'],
  },
];
