import { deletesOnlyOwn } from '../programs/ownership.ts';
import type { Rule } from './rule.ts';

/** Files: deleting, emptying, overwriting. */
export const FILE_RULES: readonly Rule[] = [
  {
    name: 'rm',
    kept: true,
    programs: 'rm unlink rmdir rimraf del-cli trash trash-put gio-trash rip',
    shapes: ['+'],
    // What is own hangs on the files.
    when: (call) => !deletesOnlyOwn(call),
    reason: 'deletes files',
    match: ['rm notes.txt', 'unlink x', 'rmdir old', 'rm -- -x', 'rm *.log', 'npx rimraf dist'],
    pass: ['git log -- rm', 'which rm'],
  },
  {
    name: 'trash',
    kept: true,
    programs: 'trash-empty trash-rm kioclient5 rmtrash',
    shapes: ['trash --empty', 'remove|trash +', '!--help|--list'],
    of: {
      gio: { first: /^(trash|remove)$/ },
    },
    reason: 'deletes files',
    match: ['trash-empty', 'gio trash old.txt', 'gio remove x'],
    pass: ['gio info x', 'trash-list'],
  },
  {
    name: 'shred',
    programs: 'shred wipe srm nwipe scrub bleachbit secure-delete sfill sdmem sswap',
    shapes: ['+', '-c|--clean'],
    reason: 'shred',
    match: ['shred -u secret.txt', 'wipe -rf dir', 'bleachbit --clean system.cache'],
    pass: ['shred --help', 'bleachbit --list'],
  },
  {
    name: 'truncate to zero',
    kept: true,
    programs: 'fallocate',
    shapes: ['-s|--size|-r|--reference +', '-p|--punch-hole|-c|--collapse-range|-z|--zero-range'],
    of: {
      truncate: { not: { value: ['-s|--size', /^\+/] } },
    },
    reason: 'truncate to zero',
    match: [
      'truncate -s 0 app.log',
      'truncate --size=0 x',
      'truncate -s0 x',
      'truncate -s 10 x',
      'fallocate -p -o 0 -l 10 x',
    ],
    pass: ['truncate -s +1M x', 'fallocate -l 1G new.img'],
  },
  {
    name: 'rename',
    kept: true,
    programs: 'rename prename mmv perl-rename zmv krename qmv vidir',
    shapes: ['+'],
    reason: 'renames many files, over others if it comes to that',
    match: ["rename 's/a/b/' *.txt", 'mmv "*.a" "#1.b"'],
    pass: ["rename -n 's/a/b/' *.txt"],
  },
  {
    name: 'sync tool delete',
    programs: 'mc lftp unison s3cmd s5cmd b2 azcopy mcli csync syncthing',
    shapes: [
      'sync|move|moveto|delete|deletefile|purge|rmdir|rmdirs|cleanup|dedupe|rm|rb|mirror|del|remove|mv|setlifecycle|rm-bucket|delete-bucket|delete-file-version|cancel +',
      '-m rm|rb|mv +',
    ],
    of: {
      gsutil: { not: { first: /^rsync$/ } },
    },
    reason: 'deletes files at the other end',
    match: ['s3cmd del s3://b/x', 'mc rm --recursive --force x/y', 'gsutil -m rm -r gs://b', 'azcopy remove https://x'],
    pass: ['s3cmd ls', 'gsutil ls gs://b'],
  },
  {
    name: 'duplicate finder -d',
    programs: 'fdupes jdupes rmlint czkawka_cli fclones duff dupeguru hardlink',
    shapes: [
      '-d|--delete|-N|-D|-L|-H',
      '-deleteduplicates=true',
      '-deleteduplicates true',
      'remove|link|dedupe',
      '-makehardlinks',
    ],
    of: {
      rdfind: { call: /-(deleteduplicates|makehardlinks) true/, not: { call: /-dryrun true/ } },
    },
    reason: 'deletes files it takes for duplicates',
    match: ['fdupes -rdN .', 'jdupes -d dir', 'rdfind -deleteduplicates true .', 'fclones remove < dup.txt'],
    pass: ['fdupes -r .', 'fclones group .'],
  },
  {
    name: 'tmp cleaner',
    programs: 'tmpreaper tmpwatch',
    shapes: ['+', '--clean|--remove'],
    of: {
      'systemd-tmpfiles': { shape: '--clean|--remove' },
    },
    reason: 'deletes files by age',
    match: ['tmpreaper 7d /tmp', 'systemd-tmpfiles --clean'],
    pass: ['tmpreaper --test 7d /tmp', 'systemd-tmpfiles --create'],
  },
  {
    name: 'in-place editor',
    kept: true,
    of: {
      'yq json': { shape: '-i|--inplace|--in-place|-I' },
      'xmlstarlet xml': { shape: '-L|--inplace' },
      'sd rpl': { shape: '* * *', not: { shape: '-p|--preview|-s|--dry-run' } },
      dasel: { first: /^(put|delete)$/, shape: '-f|--file' },
      crudini: { shape: '--set|--del|--merge' },
      ruplacer: { shape: '--go' },
      'fastmod codemod jscodeshift recode uncrustify toml iniset replace sqlfluff-fix astyle indent': { shape: '* *' },
      comby: { shape: '-i|-in-place' },
      'ast-grep sg': { shape: '-U|--update-all' },
      'dos2unix unix2dos': { given: 'operands', not: { shape: '-n|--newfile|-i|--info|-O|--to-stdout' } },
      augtool: { call: /\b(rm|set|save)\b/ },
      '2to3': { shape: '-w|--write' },
      mlr: { shape: '-I' },
    },
    reason: 'edits files in place',
    match: ["yq -i '.a = 1' f.yml", 'sd before after file.txt', 'dos2unix f.txt', "xmlstarlet ed -L -d '//x' f.xml"],
    pass: ["yq '.a' f.yml", 'yq eval .a f.yml', 'echo x | sd a b'],
  },
];

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
