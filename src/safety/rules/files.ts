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
