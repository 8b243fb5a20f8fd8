import { isCredential } from '../../../knowledge/credential-files.ts';
import { pattern } from '../../../text/pattern.ts';
import type { Machine } from '../../shell/machine.ts';
import { FETCHED, hasUnknown } from '../../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown, worse } from '../../verdict.ts';
import {
  adds,
  bringsFiles,
  deletesOnlyOwn,
  isLink,
  lookAt,
  specialDirectory,
  specialTarget,
  throughLink,
} from '../paths.ts';
import { mayBeOption } from '../read-options.ts';
import { type CallFacts, given, isFed, type Reading, type Records, row, type Spec } from '../record.ts';
import { judgeRsync, judgeUnzip } from './network.ts';

/** Octal modes with which others may read and execute but never write, and the owner can still read. */
const PLAIN_NUMBER = /^0?[4-7][0145][0145]$/;
/** Symbolic modes that give the owner any right and others only reading and executing, or remove rights of others. */
const PLAIN_LETTERS = /^(u[+=][rwxX]+|(?:[ugoa]*)\+[rxX]+|[go]+-[rwxX]+|[go]+=[rxX]*|[ugoa]*-[xXwst]+)$/;
/** Modes that leave rights for the owner only. */
const NARROW = /^(0?[4-7]00|[go]+(=|-[rwx]+))$/;

/** Matches modes that deny a file to its owner. */
const CLOSES = /^([0-7]?[0246][0-7]{2}|(?![go]+[-+=])[ugoa]*(-[rwst]*[xX][rwst]*|=[rw]*))$/;

const CHANGES_RIGHTS = harmless('changes rights, and no content');

/** Judges `chmod`: rights for others are a grant, and an executable file may be run by a tool that searches for it. */
function judgeMode({ machine, args }: CallFacts, reading: Reading): StaticVerdict | undefined {
  // `-w` and similar words are a mode, though they look like an option.
  const mode = reading.operands[0]?.text ?? '';
  const targets = reading.operands.slice(1);
  if (hasUnknown(mode) || args.length < 2 || given(reading, '--reference')) return unknown('sets unknown permissions');
  if (machine.reading && targets.some(mayBeOption))
    return unknown('takes a name that begins with a dash for the permissions');
  const parts = mode.split(',');
  if (machine.files && targets.some(({ text }) => isLink(machine, text) || throughLink(machine, text)))
    return unknown('changes the permissions of the file behind a link');
  const closes = machine.files !== undefined && parts.some((part) => CLOSES.test(part));
  if (
    closes &&
    targets.some(({ text, glob }) => lookAt(machine, text) === 'directory' || (glob && !/\.\w+$/.test(text)))
  )
    return unknown('takes away the right to enter a directory');
  if (parts.every((part) => NARROW.test(part))) return CHANGES_RIGHTS;
  if (targets.some(({ text }) => isCredential(text)))
    return destructive('grant rights', 'lets others read a key, token or password');
  if (!parts.every((part) => PLAIN_NUMBER.test(part) || PLAIN_LETTERS.test(part)))
    return unknown('grants access to others, or removes yours');
  return targets.some(({ text }) => specialTarget(machine, text))
    ? unknown('changes rights where the shell or a tool looks')
    : CHANGES_RIGHTS;
}

/** Judges `install -m`, the mode of the copy. */
function judgeInstallMode(_: CallFacts, { given: options }: Reading): StaticVerdict | undefined {
  const odd = options.some(
    ({ name, value = '' }) =>
      /^(-m|--mode)$/.test(name) &&
      !value.split(',').every((part) => PLAIN_NUMBER.test(part) || PLAIN_LETTERS.test(part)),
  );
  return odd ? unknown('grants access to others') : undefined;
}

/** Programs for files and directories: listing, making, copying, packing. */
export const FILES: Records = {
  'ls dir vdir': {
    traits: ['namesOnly'],
    tune: '-# -a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T= -u -U -v -w= -x -X -Z -1 -e -@ -O --all --almost-all --author --escape --block-size= --ignore-backups --color[=] --directory --dired --classify[=] --file-type --format= --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line --dereference --hide= --hyperlink[=] --indicator-style= --inode --ignore= --kibibytes --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --context --zero',
    operands: 'read',
  },
  tree: {
    traits: ['namesOnly'],
    tune: '-# -a -d -l -f -x -L= -R -P= -I= -p -s -h -u -g -D -F -q -N -Q -r -t -c -U -v -n -C -A -S -i -J -X -H= -T= --noreport --charset= --filelimit= --matchdirs --prune --du --inodes --device --dirsfirst --filesfirst --sort= --ignore-case --gitignore --timefmt= --si --nolinks --metafirst --fromfile',
    read: '--gitfile= --infofile=',
    write: '-o= --output=',
    operands: 'read',
    judge: (_, reading) =>
      given(reading, '-R') && given(reading, '-H', '-o') ? unknown('tree -R writes pages') : undefined,
  },
  stat: {
    output: { counts: /^(-L )?(-c ?|--format=|--printf=)%[sYXZWiugbBh] [^-\s]\S*$/ },
    traits: ['namesOnly'],
    tune: '-# -L -f -c= -t -x -s -r -n -F -l -q --dereference --file-system --format= --printf= --terse --cached=',
    operands: 'read',
  },
  file: {
    traits: ['namesOnly'],
    tune: '-# -L -b -i -k -s -r -n -N -F= -e= -p -h -0 -P= -d -E -l -v -q --dereference --brief --mime --mime-type --mime-encoding --keep-going --no-dereference --special-files --raw --separator= --exclude= --extension --apple --no-pad --print0 --parameter= --uncompress-noreport',
    read: '--files-from=',
    load: '-m= --magic-file= -z -Z --uncompress',
    write: '-C --compile',
    operands: 'read',
  },
  'du df': {
    traits: ['namesOnly'],
    of: { df: { values: '-x --output' } },
    tune: '-0 -a -A -b -B= -c -d= -D -h -H -i -k -l -L -m -P -S -s -t= -T -x -X= --all --apparent-size --block-size= --bytes --total --dereference-args --max-depth= --human-readable --inodes --si --count-links --dereference --no-dereference --separate-dirs --summarize --threshold= --time[=] --time-style= --exclude= --one-file-system --local --no-sync --sync --output[=] --portability --type= --print-type --exclude-type= --null',
    read: '--files0-from= --exclude-from=',
    operands: 'read',
  },
  'realpath readlink basename dirname': {
    traits: ['namesOnly'],
    tune: '-e -f -m -L -P -q -s -z -n -v -a -x -o -l --canonicalize --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero --no-newline --silent --verbose --relative-to= --relative-base= -s= --suffix= --multiple --modes --long',
    operands: 'read',
  },
  find: {
    family: 'files',
    findings: [
      row('find -delete', 'find -delete', { kept: true, named: 'files', shapes: ['-delete'] }),
      row('find to a file', 'find empties a file', { kept: true, shapes: ['-fprint|-fprintf|-fprint0|-fls'] }),
    ],
    values: '-fprintf',
    traits: ['namesOnly'],
    tune: '-exec; -execdir; -ok; -okdir; -H -L -P -D= -O0 -O1 -O2 -O3 -amin= -anewer= -atime= -cmin= -cnewer= -ctime= -empty -executable -false -fstype= -gid= -group= -ilname= -iname= -inum= -ipath= -iregex= -iwholename= -links= -lname= -mmin= -mtime= -name= -newer= -newermt= -newerct= -newerat= -newermm= -nogroup -nouser -path= -perm= -readable -regex= -samefile= -size= -true -type= -uid= -used= -user= -wholename= -writable -xtype= -context= -depth -d -daystart -follow -ignore_readdir_race -maxdepth= -mindepth= -mount -noignore_readdir_race -noleaf -regextype= -warn -nowarn -xdev -print -print0 -printf= -ls -prune -quit -a -o -not -and -or -X -E -s -x',
    read: '-files0-from=',
    write: '-fprint= -fprint0= -fls=',
    singleDash: true,
    operands: 'read',
    delete: '-delete',
    judge: ({ args }) => (args.some(({ text }) => text === '-fprintf') ? unknown('find writes a file') : undefined),
  },
  'fd fdfind': {
    of: { fd: { values: '--search-path', traits: ['namesOnly'] } },
    tune: '-# -H -I -u -s -i -g -F -a -l -L -p -0 -1 -q -j= -d= -t= -e= -E= -S= -c= -C= -o= --hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob --fixed-strings --absolute-path --list-details --follow --full-path --print0 --max-depth= --min-depth= --exact-depth= --type= --extension= --exclude= --size= --changed-within= --changed-before= --owner= --color= --threads= --max-results= --quiet --base-directory= --regex --no-ignore-vcs --one-file-system --strip-cwd-prefix',
    load: '-x; -X; --exec; --exec-batch;',
    operands: 'read',
  },
  'locate mlocate plocate': {
    of: { locate: { traits: ['namesOnly'] } },
    tune: '-# -i -c -l= -n= -r= -b -e -0 -w --ignore-case --count --limit= --regex --basename --existing',
    operands: 'tune',
  },
  'mkdir mkfifo': { tune: '-p -v -m= -Z --parents --verbose --mode= --context[=]', operands: 'make' },
  mktemp: {
    values: '--tmpdir',
    tune: '-d -q -u -t -p= --directory --dry-run --quiet --suffix= --tmpdir[=]',
    operands: 'add',
  },
  touch: {
    traits: ['namesOnly'],
    tune: '-a -c -d= -f -h -m -t= --no-create --date= --no-dereference --time=',
    read: '-r= --reference=',
    operands: 'make',
    // The old times of a file are stored nowhere.
    judge: ({ machine }, reading) =>
      given(reading, '-d', '--date', '-t', '-r', '--reference') &&
      machine.files !== undefined &&
      !reading.operands.every(({ text }) => /^(absent|empty)$/.test(lookAt(machine, text)))
        ? unknown('changes the times of existing files')
        : harmless('adds files, or changes the times of existing ones'),
  },
  'cp mv': {
    of: { cp: { values: '--reflink', traits: ['prints'] } },
    tune: '-a -b -d -f -H -i -l -L -n -p -P -r -R -s -S= -t= -T -u -v -x -Z -c --archive --attributes-only --backup[=] --copy-contents --debug --force --interactive --link --dereference --no-clobber --no-dereference --preserve[=] --no-preserve= --recursive --reflink[=] --remove-destination --sparse= --strip-trailing-slashes --symbolic-link --suffix= --target-directory= --no-target-directory --update[=] --verbose --one-file-system --no-copy --exchange --context[=]',
    operands: 'judged',
  },
  ln: {
    asks: '-i --interactive',
    tune: '-b -f -i -L -n -P -r -s -S= -t= -T -v --backup[=] --force --interactive --logical --no-dereference --physical --relative --symbolic --suffix= --target-directory= --no-target-directory --verbose',
    operands: 'judged',
  },
  install: {
    read: '-m= --mode=',
    load: '-g= -o= --group= --owner=',
    tune: '-b -c -C -d -D -p -s -S= -t= -T -v --backup[=] --compare --directory --preserve-timestamps --strip --suffix= --target-directory= --no-target-directory --verbose',
    run: '--strip-program=',
    operands: 'judged',
    judge: judgeInstallMode,
  },
  tee: { traits: ['prints'], tune: '-a -i -p --append --ignore-interrupts --output-error[=]', operands: 'judged' },
  dd: { traits: ['prints'], operands: 'judged' },
  truncate: {
    tune: '-c -o -s= -r= --no-create --io-blocks --size= --reference=',
    operands: 'judged',
    judge: judgeLength,
  },
  chmod: {
    family: 'permissions, accounts and secrets',
    findings: [
      row('chmod 777', 'chmod 777', { kept: true, asks: { argument: /^(?![ug]+[+=])([0-7]?777$|(a|o|ugo)?[+=]rwx)/ } }),
    ],
    traits: ['namesOnly'],
    tune: '-c -f -v -R --changes --silent --quiet --verbose --recursive --preserve-root --no-preserve-root',
    read: '--reference=',
    operands: 'judged',
    judge: judgeMode,
  },
  'chown chgrp': {
    family: 'permissions, accounts and secrets',
    findings: [row('chown on root path', 'chown on root path', { kept: true, asks: { later: /^\/\*?$/ } })],
    traits: ['namesOnly'],
    tune: '-c -f -v -R -h -H -L -P --changes --silent --quiet --verbose --recursive --no-dereference --dereference --preserve-root --no-preserve-root --from=',
    read: '--reference=',
    operands: 'judged',
    open: 'changes the owner of files',
  },
  rsync: {
    family: 'files',
    findings: [
      row('rsync --delete', 'deletes or overwrites files at one end', {
        kept: true,
        shapes: [
          '--delete|--del|--delete-before|--delete-after|--delete-during|--delete-delay|--delete-excluded|--delete-missing-args|--remove-source-files|--force|--inplace',
        ],
      }),
    ],
    leaves: { as: 'upload' },
    traits: ['sends', 'namesOnly'],
    keys: '-e --rsh --password-file',
    tune: '-# -a -A -b -c -C -d -D -E -F -g -h -H -i -I -k -K -l -L -m -N -o -O -p -P -q -r -R -s -S -t -u -U -v -W -x -X -z -0 -4 -6 -8 -B= --archive --acls --backup --checksum --cvs-exclude --dirs --devices --specials --executability --group --human-readable --hard-links --itemize-changes --ignore-times --copy-dirlinks --keep-dirlinks --links --copy-links --prune-empty-dirs --owner --omit-dir-times --perms --progress --partial --quiet --recursive --relative --secluded-args --protect-args --sparse --times --update --verbose --whole-file --one-file-system --xattrs --compress --exclude= --include= --filter= -f= --stats --info= --debug= --bwlimit= --timeout= --contimeout= --port= --max-size= --min-size= --chmod= --chown= --out-format= --suffix= --no-perms --no-owner --no-group --no-times --numeric-ids --ignore-existing --existing --size-only --modify-window= --append --append-verify --delay-updates --mkpath --skip-compress= --compress-level= --compress-choice= --safe-links --copy-unsafe-links --munge-links --max-delete= --from0 --super --fake-super --preallocate --open-noatime --no-motd --ipv4 --ipv6 --checksum-choice= --no-relative --inc-recursive --no-inc-recursive --blocking-io --8-bit-output -e= --rsh=',
    read: '--exclude-from= --include-from= --files-from= --compare-dest= --password-file=',
    // Logs and batch files are written in a dry run too.
    load: '-M= --remote-option= --config= --read-batch= --log-file= --write-batch= --only-write-batch=',
    add: '--link-dest= --copy-dest=',
    into: '-T= --temp-dir= --partial-dir= --backup-dir=',
    run: '--rsync-path= --early-exec=',
    delete:
      '--delete --del --delete-before --delete-during --delete-delay --delete-after --delete-excluded --delete-missing-args --remove-source-files --force --inplace --write-devices --ignore-errors',
    dry: '-n --dry-run --list-only',
    operands: 'judged',
    judge: judgeRsync,
  },
};

/** Sizes for which a disk has room: a plain number, or up to ten of a unit. */
const MODEST = /^(\d{1,9}|\d{1,3}(K|KB|KiB|M|MB|MiB)|(\d|10)(G|GB|GiB))$/;

/** Judges a new file of some length; an existing one would be cut, extended with zeros, or shifted. */
function judgeLength({ machine }: CallFacts, reading: Reading): StaticVerdict | undefined {
  const sizes = reading.given.filter(({ name }) => /^(-s|--size|-l|--length)$/.test(name));
  if (!sizes.every(({ value = '' }) => MODEST.test(value))) return unknown('changes the length of a file');
  const fresh = reading.operands.every(({ text }) =>
    machine.files ? lookAt(machine, text) === 'absent' : /\.(img|iso|raw|bin)$|swap(file)?$/.test(text),
  );
  return fresh
    ? reading.operands.reduce<StaticVerdict>((all, { text }) => worse(all, adds(machine, text)), harmless())
    : unknown('changes the length of an existing file');
}

const removes: Spec = {
  tune: '-f -i -I -r -R -d -v -p -u -z -x -c --force --recursive --verbose --parents --ignore-fail-on-non-empty --no-preserve-root --one-file-system --dir --interactive[=]',
  operands: 'judged',
};

/** Returns whether `f` precedes `r`, which decides between the two rule names for `rm` with options. */
function forceFirst({ args }: CallFacts): boolean {
  for (const { text } of args) {
    if (/^--f/.test(text)) return true;
    if (/^--r/.test(text)) return false;
    const found = /^-[a-zA-Z]*?([rRf])/.exec(text);
    if (found && !text.startsWith('--')) return found[1] === 'f';
  }
  return false;
}

/** Programs that delete files. */
export const REMOVING: Records = {
  rm: {
    ...removes,
    family: 'files',
    findings: [
      row('rm -rf', 'rm -rf', {
        kept: true,
        named: 'files',
        shapes: ['-r|-R|-f|--recursive|--force'],
        // Whether files are the session’s depends on the files, and the order of the letters on no single word.
        when: (call) => !deletesOnlyOwn(call) && !forceFirst(call),
      }),
      row('rm -fr', 'rm -fr', {
        kept: true,
        named: 'files',
        shapes: ['-r|-R|-f|--recursive|--force'],
        // See the rule above.
        when: (call) => !deletesOnlyOwn(call) && forceFirst(call),
      }),
    ],
  },
  'unlink rmdir': removes,
  shred: { ...removes, read: '-n= --iterations= -s= --size=' },
};

/** Returns whether a compressor removes its input: it does unless told to keep or print it. */
function removesInput(call: CallFacts, reading: Reading) {
  const { program } = call;
  if (reading.operands.length === 0 || given(reading, '-c', '--stdout', '--to-stdout', '-t', '--test', '-l', '--list'))
    return undefined;
  if (isFed(call)) return unknown(`${program} asks before it overwrites something, and its input answers`);
  if (given(reading, '-k', '--keep') || (/zstd$|lz4$/.test(program) && !given(reading, '--rm'))) return undefined;
  return unknown(`${program} removes the file it reads`);
}

/** Judges tar by the letters of its options. */
function judgeTar(call: CallFacts, reading: Reading) {
  const makes = given(reading, '-c', '--create');
  const unpacks = given(reading, '-x', '--extract', '--get');
  const keeps = given(reading, '-k', '--keep-old-files', '--skip-old-files', '-O', '--to-stdout');
  const archive = reading.given.findLast(({ name }) => name === '-f' || name === '--file')?.value;
  if (archive !== undefined && (/^[^/]*:/.test(archive) || hasUnknown(archive.slice(0, 1))))
    return unknown('tar talks to another machine');
  if (unpacks && given(reading, '-P', '--absolute-names')) return unknown('tar -P writes wherever the archive says');
  if (unpacks && call.io.stdin?.includes(FETCHED)) return unknown('unpacks data from the network');
  if (unpacks && !keeps) return unpacksInto(call, reading, '-C', '--directory');
  if (makes && isThere(call, archive)) return unknown('may overwrite an existing archive');
  return makes || unpacks || given(reading, '-t', '--list', '-d', '--diff', '--compare')
    ? undefined
    : unknown('changes an archive');
}

/** Names of text files, which an archive of that name would replace. */
const NAMES_TEXT =
  /\.(c|h|cc|cpp|py|[cm]?[jt]sx?|rs|go|java|rb|php|sh|md|txt|jsonl?|ya?ml|toml|html?|css|sql|csv|conf|cfg|ini|db)$/;

/** Returns whether something exists at a path; undefined where it can’t be looked up and the name says nothing. */
function isThere({ machine }: CallFacts, path: string | undefined): boolean | undefined {
  const { cwd } = machine.scope;
  if (path !== undefined && !machine.files && NAMES_TEXT.test(path)) return true;
  if (path === undefined || !machine.files || (cwd === undefined && !path.startsWith('/'))) return undefined;
  return machine.files.stat(path.startsWith('/') ? path : `${cwd}/${path}`) !== undefined;
}

/** Judges unpacking, which may overwrite files: it is safe only into a directory that does not exist yet. */
function unpacksInto(call: CallFacts, reading: Reading, ...options: readonly string[]) {
  const into = reading.given.findLast(({ name }) => options.includes(name))?.value;
  bringsFiles(call.machine, into ?? '.');
  const special = specialDirectory(call.machine, into ?? '.');
  if (special) return special;
  if (hasUnknown(into ?? '')) return unknown('unpacks to an unknown place');
  if (call.machine.files === undefined) return undefined;
  return isThere(call, into) === false || (into !== undefined && call.machine.scope.made.has(into))
    ? undefined
    : unknown('unpacks over existing files');
}

/** Programs that pack and unpack. */
export const ARCHIVES: Records = {
  tar: {
    family: 'packages',
    findings: [
      row('tar runs a program', 'tar runs commands', {
        asks: {
          any: [
            { argument: /^--checkpoint-action=exec|^--to-command|^--info-script|^--new-volume-script|^--rmt-command/ },
            { value: ['--checkpoint-action', /exec=/] },
          ],
        },
      }),
    ],
    values: '--blocking-factor',
    traits: ['prints'],
    helpers: 'sh gzip bzip2 xz zstd lzma compress',
    oldStyle: true,
    tune: '-c -x -t -d -z -j -J -a -v -p -m -h -S -s -o -w -k -O -C= -b= -V= -W -l -B -i -n -R -H= -L= --create --extract --get --list --diff --compare --gzip --gunzip --bzip2 --xz --zstd --lzma --lz4 --auto-compress --verbose --preserve-permissions --same-permissions --touch --dereference --sparse --same-owner --no-same-owner --no-same-permissions --keep-old-files --skip-old-files --keep-newer-files --to-stdout --directory= --exclude= --exclude-vcs --exclude-vcs-ignores --exclude-backups --exclude-caches --strip-components= --transform= --xform= --wildcards --no-wildcards --anchored --no-recursion --recursion --numeric-owner --owner= --group= --mode= --mtime= --sort= --format= --posix --totals --checkpoint[=] --one-file-system --label= --null --warning= --no-overwrite-dir --show-transformed-names --utc --full-time --ignore-failed-read --occurrence[=] --newer= --after-date= --block-number --delay-directory-restore --acls --xattrs --selinux --show-defaults --pax-option=',
    read: '-X= --exclude-from= -T= --files-from= -N=',
    write: '-g= --listed-incremental= --index-file=',
    add: '-f= --file=',
    run: '-I= --use-compress-program= --to-command= -F= --info-script= --new-volume-script= --rmt-command= --rsh-command=',
    load: '--checkpoint-action=',
    delete:
      '-r -u -A --append --update --catenate --concatenate --delete --remove-files --recursive-unlink -U --unlink-first --overwrite --overwrite-dir -P --absolute-names',
    operands: 'read',
    judge: judgeTar,
  },
  'gzip gunzip bzip2 bunzip2 xz unxz zstd lz4 pigz': {
    output: { gives: 'decoded' },
    of: { 'gzip bzip2 xz zstd': { traits: ['prints'] } },
    helpers: 'sh gzip',
    tune: '-# -c -d -k -l -n -N -q -r -t -v -z -T= -S= -p= -m= -D= -h -V -a -b= --best --fast --stdout --to-stdout --decompress --uncompress --keep --list --quiet --recursive --test --verbose --threads= --format= --no-name --name --rsyncable --extreme -e --memlimit= --check= --ultra --long[=] --no-progress --suffix= --synchronous',
    // Without -f they refuse to overwrite a file; -f is not proven harmless.
    add: '-o= --output=',
    delete: '-f --force --rm -j',
    operands: 'read',
    judge: removesInput,
  },
  zip: {
    values: '-tt',
    traits: ['prints'],
    tune: '-# -r -q -v -j -x= -i= -P= -y -X -9 -e -D -l -n= -@ -u= -s= -b= -o -k -t= -Z= --recurse-paths --quiet --junk-paths --exclude= --include= --symlinks --encrypt --no-extra --no-dir-entries --compression-method= -T -sf -0',
    run: '-TT= --unzip-command=',
    load: '--test-command',
    delete: '-m -d -f -u -FS -A -F -FF -O= -la -lf --move --delete --freshen --update --filesync --grow -g',
    operands: 'add read',
    judge: (call, reading) =>
      isThere(call, reading.operands[0]?.text) ? unknown('changes an existing archive') : undefined,
  },
  unzip: {
    tune: '-l -v -t -p -c -z -q -qq -n -j -C -L -a -aa -b -D -K -X -V -W -d= -P= -x= -Z -Z1 -U -s -M -1',
    delete: '-o -f -u -:',
    operands: 'read',
    judge: judgeUnzip,
  },
  zipinfo: { tune: '-1 -2 -s -m -l -v -h -z -t -T -C -M', operands: 'read' },
  '7z 7za': {
    tune: '-oout -oextracted -ba -bd -slt -r -p= -mx= -mmt= -t7z -tzip -y -so -snl -aos -aou',
    operands: 'judged',
    judge: ({ args, operands }) =>
      /^(l|t|b|h|i)$/.test(operands[0]?.text ?? '') || (/^[ax]$/.test(operands[0]?.text ?? '') && args.length <= 4)
        ? undefined
        : unknown('7z may overwrite existing files'),
  },
  ar: {
    oldStyle: true,
    tune: '-t -p -c -s -v -D -U -T -r -x -q -u',
    operands: 'add read',
    judge: (call) => {
      const [letters = '', archive] = call.args.map(({ text }) => text);
      if (/^-?[tp][vVO]*$/.test(letters)) return undefined;
      const makes = /^-?[rq]?c[rqscvuDU]*$|^-?r[scvDU]*c[scvDU]*$/.test(letters);
      return makes && !isThere(call, archive) ? undefined : unknown('ar changes files');
    },
  },
  cpio: {
    tune: '-i -o -t -p -v -d -m -0 -H= -F= -I= -E= -L --list --extract --create --pass-through --format= --null --verbose --make-directories --no-absolute-filenames --preserve-modification-time --quiet',
    operands: 'tune',
    judge: (_, reading) =>
      given(reading, '-t', '--list') || (given(reading, '-o', '--create') && !given(reading, '-F'))
        ? undefined
        : unknown('unpacks over existing files, or overwrites an archive'),
  },
  jar: {
    oldStyle: true,
    tune: '-t -v -c -f= -e= -m= -M -0 --list --create --file=',
    operands: 'read',
    judge: judgeJar,
  },
};

/** Judges `jar cf NAME`, which overwrites an archive of that name. */
function judgeJar(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const [letters = '', name] = call.args.map(({ text }) => text);
  if (/^-?-?(t|list)/.test(letters)) return undefined;
  const target = reading.given.find((option) => option.name === '-f' || option.name === '--file')?.value ?? name;
  const makes = /^(-?c\w*|--create)$/.test(letters) && (/f/.test(letters) || given(reading, '-f', '--file'));
  if (!makes || target === undefined) return unknown('jar may overwrite existing files');
  const { machine } = call;
  const fresh = machine.files ? lookAt(machine, target) === 'absent' : target.endsWith('.jar');
  return fresh ? adds(machine, target) : unknown('jar may overwrite existing files');
}

/** Pictures, audio and video. Some protocols, filters and formats write, send or run something. */
export const MEDIA_RECORDS: Records = {
  ffmpeg: {
    operands: 'judged',
    singleDash: true,
    tune: '-# -i= -c= -c:v= -c:a= -codec= -codec:v= -codec:a= -vcodec= -acodec= -an -vn -sn -ss= -sseof= -to= -t= -r= -s= -f= -b:v= -b:a= -crf= -preset= -vf= -af= -filter:v= -filter:a= -filter_complex= -lavfi= -map= -loglevel= -hide_banner -n -frames:v= -vframes= -pix_fmt= -q:v= -q:a= -ar= -ac= -aspect= -movflags= -threads= -nostats -nostdin -stats -v= -shortest -g= -profile:v= -level= -tune= -metadata= -c:s= -qscale:v= -vsync= -re -stream_loop= -framerate= -loop= -safe=',
    delete: '-y',
    write: '-vstats_file= -passlogfile= -progress=',
    load: '-report -fpre= -vstats -init_hw_device= -dump_attachment=',
    idle: '-version -formats -codecs -encoders -decoders -filters -h -protocols',
    judge: judgeFfmpeg,
  },
  ffprobe: {
    singleDash: true,
    tune: '-# -v= -i= -f= -hide_banner -show_format -show_streams -show_entries= -select_streams= -of= -print_format= -show_frames -count_frames -show_packets -pretty -unit -sexagesimal -loglevel= -show_chapters -show_error -show_programs -count_packets -read_intervals=',
    write: '-o=',
    operands: 'read',
    judge: (_, reading) => {
      const graph = reading.given.some(({ name, value }) => name === '-f' && value === 'lavfi');
      return worst([
        ...judgeStreams(reading),
        ...reading.operands.map(({ text }) => (graph ? judgeGraph(text) : judgeInput(text))),
      ]);
    },
  },
  identify: {
    singleDash: true,
    tune: '-# -verbose -format= -ping -quiet -unique -units= -precision=',
    operands: 'read',
    judge: (_, reading) =>
      worst([
        ...reading.operands.map(({ text }) => judgePicture(text)),
        ...reading.given.map(({ value = '' }) =>
          value.startsWith('@') ? unknown('reads a format from a file') : undefined,
        ),
      ]),
  },
  'yt-dlp': {
    helpers: 'ffmpeg ffprobe python3',
    tune: '-# -F -x -q -v -s -S= -i -k -e -g -j -J -c -w -4 -6 -f= -N= -r= -R= --format= --format-sort= --list-formats --list-subs --get-duration --get-url --get-title --get-id --get-filename --get-thumbnail --get-description --get-format --dump-json --dump-single-json --simulate --no-simulate --skip-download --print= --extract-audio --audio-format= --audio-quality= --merge-output-format= --recode-video= --remux-video= --download-sections= --force-keyframes-at-cuts --no-playlist --yes-playlist --playlist-items= --playlist-start= --playlist-end= --write-subs --write-sub --write-auto-subs --write-auto-sub --sub-langs= --sub-lang= --sub-format= --convert-subs= --write-thumbnail --write-description --write-info-json --embed-thumbnail --embed-subs --embed-metadata --add-metadata --no-warnings --no-progress --newline --progress --verbose --quiet --retries= --limit-rate= --concurrent-fragments= --max-filesize= --max-downloads= --match-filter= --restrict-filenames --no-overwrites --sleep-interval= --ignore-errors --continue --no-part --no-mtime --socket-timeout= --user-agent= --flat-playlist --date= --dateafter= --no-config --ignore-config --extractor-args= --keep-video --no-keep-video',
    add: '-o= --output=',
    into: '-P= --paths=',
    load: '--exec= --exec-before-download= --config-location= --config-locations= --plugin-dirs= --downloader= --external-downloader= --downloader-args= --external-downloader-args= --postprocessor-args= --ppa= --ffmpeg-location= --netrc --netrc-cmd= --use-postprocessor= --load-info-json= -a= --batch-file= --enable-file-urls --no-check-certificates --js-runtimes= --print-to-file',
    send: '--proxy= --cookies= --cookies-from-browser= -u= -p= --username= --password= --video-password= --add-header= --referer=',
    delete: '--force-overwrites --yes-overwrites --rm-cache-dir -U --update --update-to=',
    operands: 'ask',
    control: /(^|\/)(yt-dlp|youtube-dl)\.conf$/,
  },
  'convert magick': {
    operands: 'judged',
    open: 'may overwrite a file with a picture',
    singleDash: true,
    tune: '-# -resize= -quality= -rotate= -crop= -strip -density= -background= -flatten -thumbnail= -colorspace= -alpha= -format=',
  },
  exiftool: {
    singleDash: true,
    tune: '-# -r -s -S -G -a -j -json -n -csv -d= -e -f -ee -p= -b -T -t -x= -ext= -fast -u -V -v= -Output= --Output= -quiet',
    write: '-o= -w=',
    operands: 'read',
    judge: ({ program, args }) =>
      program === 'exiftool' &&
      args.some(({ text }) =>
        /^-[\w:]+[-+^]?[<=]|^-(all|tagsfromfile|delete_original|restore_original|overwrite|config|execute|@|if\d*|filename|directory)/i.test(
          text,
        ),
      )
        ? unknown('edits files')
        : program === 'exiftool' &&
            args.some(({ text }, at) => args[at - 1]?.text === '-p' && !/^(?=.*\$)[\w $:,.%-]*$/.test(text))
          ? unknown('a format of exiftool may be code, or a file of it')
          : undefined,
  },
};

function worst(verdicts: readonly (StaticVerdict | undefined)[]): StaticVerdict | undefined {
  return verdicts.reduce((a, b) => (a && b ? worse(a, b) : (a ?? b)), undefined);
}

/** Output formats of one file or none. Others write many files (`hls`), several outputs (`tee`), or send (`rtsp`). */
const FORMATS = pattern(String.raw`
    ^(mp4|mov|m4a|ipod|matroska|webm|mp3|wav|flac|ogg|opus|adts|aac|ac3|gif|apng|avi|mpegts|mpeg|flv|3gp|null
    |md5|hash|framemd5|framecrc|crc|rawvideo|yuv4mpegpipe|image2pipe|mjpeg|h264|hevc|[su](8|16|24|32)[lb]?e?
    |f(32|64)[lb]e|srt|ass|webvtt|ffmetadata|lavfi|concat)$
  `);
const FILE_ENDING =
  /\.(mp4|m4a|m4v|mov|mkv|mka|webm|mp3|wav|flac|ogg|oga|ogv|opus|aac|ac3|gif|apng|avi|ts|mpe?g|flv|wmv|wma|3gp|aiff?|y4m|png|jpe?g|webp|bmp|tiff?|srt|vtt|ass|null)$/i;

/** Filters that only compute. Others write a file, load a library, or run a script. */
const FILTERS = new Set(
  `scale crop pad fps setpts asetpts atempo volume transpose hflip vflip rotate trim atrim setsar setdar format aformat overlay
   concat split asplit amix amerge aresample palettegen paletteuse fade afade drawbox drawtext thumbnail select aselect tile
   hstack vstack xstack yadif bwdif silencedetect silenceremove blackdetect showinfo ashowinfo null anull nullsrc testsrc
   testsrc2 color sine anullsrc smptebars eq hue unsharp gblur boxblur highpass lowpass equalizer dynaudnorm channelsplit
   channelmap pan asetrate showwavespic showspectrumpic cropdetect freezedetect idet setrange colorspace zoompan minterpolate
   reverse areverse loop aloop xfade acrossfade volumedetect astats ebur128 signalstats loudnorm afftdn hqdn3d nlmeans
   settb asettb setfield tonemap colorchannelmixer curves vignette negate edgedetect drawgrid adelay acompressor alimiter`
    .split(/\s+/)
    .filter((name) => name !== ''),
);
/** Keys whose value names a file, a library or an address. */
const NAMES_FILE = /\b\w*(file|filename|result|path|plugin|url|stats|psfile|library|model|report)\w*\s*=/i;

function judgeGraph(text: string): StaticVerdict | undefined {
  const bare = text.replace(/'[^']*'/g, (quoted) => quoted.replace(/[^\w=:]/g, ' ')).replace(/\\./g, ' ');
  const names = bare.replace(/\[[^\]]*\]/g, ' ').split(/[,;]/);
  const known = names.every((part) => /^\s*[\d.+\-*/() ]/.test(part) || FILTERS.has(/^\s*(\w+)/.exec(part)?.[1] ?? ''));
  return known && !NAMES_FILE.test(text) && !hasUnknown(text)
    ? undefined
    : unknown('a filter that is not known to only compute');
}

/** Judges an input: a name with a protocol in front is fetched, sent, or interpreted in another way. */
function judgeInput(text: string): StaticVerdict | undefined {
  return /^[a-z][a-z0-9+.,-]*:|^@|^\|/i.test(text) && !/^pipe:0?$/.test(text)
    ? unknown('an input that is not a plain file')
    : undefined;
}

/** Judges the values of `-i`, `-f` and the filters of a call. */
function judgeStreams(reading: Reading): readonly (StaticVerdict | undefined)[] {
  let format = '';
  return reading.given.map(({ name, value = '' }) => {
    if (name === '-f') {
      format = value;
      return FORMATS.test(value) ? undefined : unknown(`format ${value.slice(0, 20)} may write several files`);
    }
    if (name === '-i') {
      const lavfi = format === 'lavfi';
      format = '';
      return lavfi ? judgeGraph(value) : judgeInput(value);
    }
    return /^-(vf|af|filter:[va]|filter_complex|lavfi)$/.test(name) ? judgeGraph(value) : undefined;
  });
}

/** Judges ffmpeg, which asks before an overwrite, unless its input answers; without an output it only shows. */
function judgeFfmpeg(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const outputs = reading.operands.map(({ text }) => text);
  const formats = reading.given.filter(({ name }) => name === '-f').map(({ value }) => value);
  const nothing = formats.at(-1) === 'null';
  return worst([
    ...judgeStreams(reading),
    ...outputs.map((target) => {
      if (/^(-|pipe:1?|\/dev\/null)$/.test(target) || (nothing && target === 'null')) return undefined;
      if (/^[a-z][a-z0-9+.-]*:|[%|]|^\[/i.test(target) || !FILE_ENDING.test(target) || hasUnknown(target))
        return unknown('an output that is not one plain file');
      const asks = !call.machine.files && call.io.stdin === undefined;
      return given(reading, '-n') ? adds(call.machine, target) : judgeNew(call.machine, target, asks);
    }),
  ]);
}

/** Judges a new file: it must not exist; where that can’t be looked up, it is enough that the tool `asks`. */
function judgeNew(machine: Machine, target: string, asks: boolean): StaticVerdict {
  const fresh = asks || /^(absent|empty)$/.test(lookAt(machine, target));
  return worse(adds(machine, target), fresh ? harmless() : unknown('writes over a file'));
}

/**
 * Judges a picture: a prefix before a colon may delete (`ephemeral:`), run (`msl:`), fetch or write; such scripts too.
 */
function judgePicture(text: string): StaticVerdict | undefined {
  return /^[\w-]+:|^[@|]|\.(msl|mvg|svgz?|ps|eps|pdf|vid)(\[.*\])?$/i.test(text) || hasUnknown(text)
    ? unknown('a picture that is not a plain file')
    : undefined;
}
