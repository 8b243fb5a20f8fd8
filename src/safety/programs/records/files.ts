import { isCredential } from '../../../knowledge/credential-files.ts';
import { hasUnknown } from '../../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown, worse } from '../../verdict.ts';
import { deletesOnlyOwn } from '../ownership.ts';
import { adds, lookAt, specialTarget } from '../paths.ts';
import { type CallFacts, given, type Reading, type Records, type Spec } from '../record.ts';
import { judgeRsync } from './network.ts';

/** `644`, `0755`: others may read and run, never write; no rights of another user; the owner keeps reading. */
const PLAIN_NUMBER = /^0?[4-7][0145][0145]$/;
/** `u+x`, `go-w`, `a+rX`: the owner may get anything, all others reading and running; taking away from others. */
const PLAIN_LETTERS = /^(u[+=][rwxX]+|(?:[ugoa]*)\+[rxX]+|[go]+-[rwxX]+|[go]+=[rxX]*|[ugoa]*-[xXwst]+)$/;
/** Rights that leave nothing for anybody but the owner. */
const NARROW = /^(0?[4-7]00|[go]+(=|-[rwx]+))$/;

/** `chmod`: rights for others are a grant, and making a file executable arms it where something looks for it. */
function judgeMode({ machine, args }: CallFacts, reading: Reading): StaticVerdict | undefined {
  // `-w` and the like are a mode, though they look like an option.
  const mode = reading.operands[0]?.text ?? '';
  const targets = reading.operands.slice(1);
  if (hasUnknown(mode) || args.length < 2 || given(reading, '--reference'))
    return unknown('sets rights that are not known');
  const parts = mode.split(',');
  if (parts.every((part) => NARROW.test(part))) return undefined;
  if (targets.some(({ text }) => isCredential(text)))
    return destructive('grant rights', 'lets others read a key, token or password');
  if (!parts.every((part) => PLAIN_NUMBER.test(part) || PLAIN_LETTERS.test(part)))
    return unknown('gives rights to others, or takes the own ones away');
  return targets.some(({ text }) => specialTarget(machine, text))
    ? unknown('changes rights where the shell or a tool looks')
    : undefined;
}

/** `install -m`: the rights that the copy gets. */
function judgeInstallMode(_: CallFacts, { given: options }: Reading): StaticVerdict | undefined {
  const odd = options.some(
    ({ name, value = '' }) =>
      /^(-m|--mode)$/.test(name) &&
      !value.split(',').every((part) => PLAIN_NUMBER.test(part) || PLAIN_LETTERS.test(part)),
  );
  return odd ? unknown('gives rights to others') : undefined;
}

/** Files and directories: looking, making, copying, packing. */
export const FILES: Records = {
  'ls dir vdir': {
    traits: ['namesOnly'],
    tune: '-# -a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T= -u -U -v -w= -x -X -Z -1 -e -@ -O --all --almost-all --author --escape --block-size= --ignore-backups --color[=] --directory --dired --classify[=] --file-type --format= --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line --dereference --hide= --hyperlink[=] --indicator-style= --inode --ignore= --kibibytes --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --context --zero',
    operands: 'read',
  },
  tree: {
    valuesOf: 'first',
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
    valuesOf: 'first',
    traits: ['namesOnly'],
    of: { df: { values: '-t --type -x --exclude-type -B --output' } },
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
      {
        name: 'find -delete',
        kept: true,
        named: true,
        shapes: ['-delete'],
        reason: 'find -delete',
        match: ['find . -name "*.tmp" -delete', 'find /tmp -mtime +3 -type f -delete'],
        pass: ['find . -name "*-delete*"', "find . -name '-delete'"],
      },
      {
        name: 'find to a file',
        kept: true,
        shapes: ['-fprint|-fprintf|-fprint0|-fls'],
        reason: 'find empties a file',
        match: ['find / -name core -fprint out.txt', 'find . -fls listing'],
        pass: ['find . -print0', 'find . -printf "%p\\n"'],
      },
    ],
    values:
      '-name -iname -path -ipath -wholename -regex -iregex -type -size -mtime -mmin -atime -amin -ctime -cmin -newer -user -group -perm -maxdepth -mindepth -printf -fprintf -fprint -fprint0 -fls -links -inum -samefile -anewer -cnewer -newermt -fstype -uid -gid -lname -ilname -used -xtype -context -files0-from -D',
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
    of: {
      fd: {
        values:
          '-t --type -e --extension -d --max-depth --min-depth -E --exclude -S --size -c --color -j --threads -o --owner --changed-within --changed-before -C --base-directory --search-path',
        traits: ['namesOnly'],
      },
    },
    tune: '-# -H -I -u -s -i -g -F -a -l -L -p -0 -1 -q -j= -d= -t= -e= -E= -S= -c= -C= -o= --hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob --fixed-strings --absolute-path --list-details --follow --full-path --print0 --max-depth= --min-depth= --exact-depth= --type= --extension= --exclude= --size= --changed-within= --changed-before= --owner= --color= --threads= --max-results= --quiet --base-directory= --regex --no-ignore-vcs --one-file-system --strip-cwd-prefix',
    load: '-x; -X; --exec; --exec-batch;',
    operands: 'read',
  },
  'locate mlocate plocate': {
    of: { locate: { traits: ['namesOnly'] } },
    tune: '-# -i -c -l= -n= -r= -b -e -0 -w --ignore-case --count --limit= --regex --basename --existing',
    operands: 'tune',
  },
  'mkdir mkfifo': {
    valuesOf: 'first',
    tune: '-p -v -m= -Z --parents --verbose --mode= --context[=]',
    operands: 'make',
  },
  mktemp: {
    values: '-p --tmpdir --suffix',
    tune: '-d -q -u -t -p= --directory --dry-run --quiet --suffix= --tmpdir[=]',
    operands: 'add',
  },
  touch: {
    valuesOf: 'first',
    traits: ['namesOnly'],
    tune: '-a -c -d= -f -h -m -t= --no-create --date= --no-dereference --time=',
    read: '-r= --reference=',
    operands: 'make',
  },
  'cp mv': {
    valuesOf: 'first',
    of: { cp: { values: '-t --target-directory -S --suffix --reflink --sparse --no-preserve', traits: ['prints'] } },
    tune: '-a -b -d -f -H -i -l -L -n -p -P -r -R -s -S= -t= -T -u -v -x -Z -c --archive --attributes-only --backup[=] --copy-contents --debug --force --interactive --link --dereference --no-clobber --no-dereference --preserve[=] --no-preserve= --recursive --reflink[=] --remove-destination --sparse= --strip-trailing-slashes --symbolic-link --suffix= --target-directory= --no-target-directory --update[=] --verbose --one-file-system --no-copy --exchange --context[=]',
    operands: 'judged',
  },
  ln: {
    valuesOf: 'first',
    asks: '-i --interactive',
    tune: '-b -f -i -L -n -P -r -s -S= -t= -T -v --backup[=] --force --interactive --logical --no-dereference --physical --relative --symbolic --suffix= --target-directory= --no-target-directory --verbose',
    operands: 'judged',
  },
  install: {
    valuesOf: 'first',
    read: '-m= --mode=',
    load: '-g= -o= --group= --owner=',
    tune: '-b -c -C -d -D -p -s -S= -t= -T -v --backup[=] --compare --directory --preserve-timestamps --strip --suffix= --target-directory= --no-target-directory --verbose',
    run: '--strip-program=',
    operands: 'judged',
    judge: judgeInstallMode,
  },
  tee: {
    traits: ['prints'],
    tune: '-a -i -p --append --ignore-interrupts --output-error[=]',
    operands: 'judged',
  },
  dd: { traits: ['prints'], operands: 'judged' },
  truncate: {
    valuesOf: 'first',
    tune: '-c -o -s= -r= --no-create --io-blocks --size= --reference=',
    operands: 'judged',
    judge: judgeLength,
  },
  chmod: {
    family: 'permissions, accounts and secrets',
    findings: [
      {
        name: 'chmod 777',
        kept: true,
        asks: { argument: /^(?![ug]+[+=])([0-7]?777$|(a|o|ugo)?[+=]rwx)/ },
        reason: 'chmod 777',
        match: [
          'chmod 777 x',
          'chmod -R 777 /var/www',
          'chmod 0777 x',
          'chmod a+rwx x',
          'chmod 1777 d',
          'chmod o+rwx f',
        ],
        pass: ['chmod 755 x', 'chmod u+rwx x', 'find . -perm 777'],
      },
    ],
    valuesOf: 'first',
    traits: ['namesOnly'],
    tune: '-c -f -v -R --changes --silent --quiet --verbose --recursive --preserve-root --no-preserve-root',
    read: '--reference=',
    operands: 'judged',
    judge: judgeMode,
  },
  'chown chgrp': {
    family: 'permissions, accounts and secrets',
    findings: [
      {
        name: 'chown on root path',
        kept: true,
        asks: { later: /^\/\*?$/ },
        reason: 'chown on root path',
        match: ['chown bob /', 'chown root:root /*'],
        pass: ['chown bob file'],
      },
    ],
    valuesOf: 'first',
    traits: ['namesOnly'],
    tune: '-c -f -v -R -h -H -L -P --changes --silent --quiet --verbose --recursive --no-dereference --dereference --preserve-root --no-preserve-root --from=',
    read: '--reference=',
    operands: 'judged',
    open: 'gives files another owner',
  },
  rsync: {
    family: 'files',
    findings: [
      {
        name: 'rsync --delete',
        kept: true,
        shapes: [
          '--delete|--del|--delete-before|--delete-after|--delete-during|--delete-delay|--delete-excluded|--delete-missing-args|--remove-source-files|--force|--inplace',
        ],
        reason: 'deletes or overwrites files at one end',
        match: ['rsync -a --delete src/ dst/', 'rsync -av --remove-source-files a b', 'rsync -a --del a/ b/'],
        pass: ['rsync -avn --delete src/ dst/', 'rsync --dry-run --delete a/ b/', 'rsync -av src/ host:dst/'],
      },
    ],
    valuesOf: 'first',
    traits: ['sends', 'namesOnly'],
    tune: '-# -a -A -b -c -C -d -D -E -F -g -h -H -i -I -k -K -l -L -m -N -o -O -p -P -q -r -R -s -S -t -u -U -v -W -x -X -z -0 -4 -6 -8 -B= --archive --acls --backup --checksum --cvs-exclude --dirs --devices --specials --executability --group --human-readable --hard-links --itemize-changes --ignore-times --copy-dirlinks --keep-dirlinks --links --copy-links --prune-empty-dirs --owner --omit-dir-times --perms --progress --partial --quiet --recursive --relative --secluded-args --protect-args --sparse --times --update --verbose --whole-file --one-file-system --xattrs --compress --exclude= --include= --filter= -f= --stats --info= --debug= --bwlimit= --timeout= --contimeout= --port= --max-size= --min-size= --chmod= --chown= --out-format= --suffix= --no-perms --no-owner --no-group --no-times --numeric-ids --ignore-existing --existing --size-only --modify-window= --append --append-verify --delay-updates --mkpath --skip-compress= --compress-level= --compress-choice= --safe-links --copy-unsafe-links --munge-links --max-delete= --from0 --super --fake-super --preallocate --open-noatime --no-motd --ipv4 --ipv6 --checksum-choice= --no-relative --inc-recursive --no-inc-recursive --blocking-io --8-bit-output',
    read: '--exclude-from= --include-from= --files-from= --compare-dest= --password-file=',
    // Logs and batches are written by a dry run too.
    load: '-M= --remote-option= --config= --read-batch= --log-file= --write-batch= --only-write-batch=',
    add: '--link-dest= --copy-dest=',
    into: '-T= --temp-dir= --partial-dir= --backup-dir=',
    run: '-e= --rsh= --rsync-path= --early-exec=',
    delete:
      '--delete --del --delete-before --delete-during --delete-delay --delete-after --delete-excluded --delete-missing-args --remove-source-files --force --inplace --write-devices --ignore-errors',
    dry: '-n --dry-run --list-only',
    operands: 'judged',
    judge: judgeRsync,
  },
};

/** Sizes that a disk has room for: a plain number, or up to ten of a unit. */
const MODEST = /^(\d{1,9}|\d{1,3}(K|KB|KiB|M|MB|MiB)|(\d|10)(G|GB|GiB))$/;

/** A file that is made in some length; one that is there would be cut, stretched with zeros, or shifted. */
function judgeLength({ machine }: CallFacts, reading: Reading): StaticVerdict | undefined {
  const sizes = reading.given.filter(({ name }) => /^(-s|--size|-l|--length)$/.test(name));
  if (!sizes.every(({ value = '' }) => MODEST.test(value))) return unknown('changes the length of a file');
  const fresh = reading.operands.every(({ text }) =>
    machine.files ? lookAt(machine, text) === 'absent' : /\.(img|iso|raw|bin)$|swap(file)?$/.test(text),
  );
  return fresh
    ? reading.operands.reduce<StaticVerdict>((all, { text }) => worse(all, adds(machine, text)), harmless())
    : unknown('changes the length of a file that is there');
}

const removes: Spec = {
  tune: '-f -i -I -r -R -d -v -p -u -n= -s= -z -x -c --force --recursive --verbose --parents --size= --ignore-fail-on-non-empty --no-preserve-root --one-file-system --dir --interactive[=]',
  operands: 'judged',
};

/** Order of `r` and `f` decides between the two names the gate has always had for `rm` with options. */
function forceFirst({ args }: CallFacts): boolean {
  for (const { text } of args) {
    if (/^--f/.test(text)) return true;
    if (/^--r/.test(text)) return false;
    const found = /^-[a-zA-Z]*?([rRf])/.exec(text);
    if (found && !text.startsWith('--')) return found[1] === 'f';
  }
  return false;
}

/** What takes files away. */
export const REMOVING: Records = {
  rm: {
    ...removes,
    family: 'files',
    findings: [
      {
        name: 'rm -rf',
        kept: true,
        named: true,
        shapes: ['-r|-R|-f|--recursive|--force'],
        // What is own hangs on the files; the order of the letters, on no single word.
        when: (call) => !deletesOnlyOwn(call) && !forceFirst(call),
        reason: 'rm -rf',
        match: [
          'rm -rf /tmp/foo',
          'rm -r dir',
          'rm -Rf x',
          'rm -v --recursive x',
          '/bin/rm -rf x',
          'r\\m -r"f" x',
          'rm x -rf',
          'rm --rec x',
        ],
        pass: ['echo "rm -rf /"', 'grep -rf list .', 'rm --help', 't=$(mktemp -d); rm -rf "$t"', 'man rm'],
      },
      {
        name: 'rm -fr',
        kept: true,
        named: true,
        shapes: ['-r|-R|-f|--recursive|--force'],
        // As above.
        when: (call) => !deletesOnlyOwn(call) && forceFirst(call),
        reason: 'rm -fr',
        match: ['rm -fr /tmp/foo', 'rm -f x', 'rm --force x', 'rm -f -r x'],
        pass: ['ls -fr', 'sort -fr names.txt'],
      },
    ],
  },
  'unlink rmdir': removes,
  shred: { ...removes, values: '-n --iterations -s --size' },
};
