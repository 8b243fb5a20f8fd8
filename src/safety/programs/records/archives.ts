import { FETCHED, hasUnknown } from '../../shell/taint.ts';
import { type StaticVerdict, unknown } from '../../verdict.ts';
import { adds, bringsFiles, lookAt, specialDirectory } from '../paths.ts';
import { type CallFacts, given, isFed, type Reading, type Records } from '../record.ts';
import { judgeUnzip } from './network.ts';

/** Compressors remove what they read unless they are told to keep it or to print. */
function removesInput(call: CallFacts, reading: Reading) {
  const { program } = call;
  if (reading.operands.length === 0 || given(reading, '-c', '--stdout', '--to-stdout', '-t', '--test', '-l', '--list'))
    return undefined;
  if (isFed(call)) return unknown(`${program} asks before it writes over something, and its input answers`);
  if (given(reading, '-k', '--keep') || (/zstd$|lz4$/.test(program) && !given(reading, '--rm'))) return undefined;
  return unknown(`${program} removes the file it reads`);
}

/** What tar is asked to do, by its letters. */
function judgeTar(call: CallFacts, reading: Reading) {
  const makes = given(reading, '-c', '--create');
  const unpacks = given(reading, '-x', '--extract', '--get');
  const keeps = given(reading, '-k', '--keep-old-files', '--skip-old-files', '-O', '--to-stdout');
  const archive = reading.given.findLast(({ name }) => name === '-f' || name === '--file')?.value;
  if (archive !== undefined && (/^[^/]*:/.test(archive) || hasUnknown(archive.slice(0, 1))))
    return unknown('tar talks to another machine');
  if (unpacks && given(reading, '-P', '--absolute-names')) return unknown('tar -P writes wherever the archive says');
  if (unpacks && call.io.stdin?.includes(FETCHED)) return unknown('unpacks what comes over the network');
  if (unpacks && !keeps) return unpacksInto(call, reading, '-C', '--directory');
  if (makes && isThere(call, archive)) return unknown('writes over an archive that is there');
  return makes || unpacks || given(reading, '-t', '--list', '-d', '--diff', '--compare')
    ? undefined
    : unknown('changes an archive');
}

/** Names that a text has, no archive: an archive of that name would be in its place. */
const NAMES_TEXT =
  /\.(c|h|cc|cpp|py|[cm]?[jt]sx?|rs|go|java|rb|php|sh|md|txt|jsonl?|ya?ml|toml|html?|css|sql|csv|conf|cfg|ini|db)$/;

/** Is something there already? Undefined where nobody can look and the name tells nothing. */
function isThere({ machine }: CallFacts, path: string | undefined): boolean | undefined {
  const { cwd } = machine.scope;
  if (path !== undefined && !machine.files && NAMES_TEXT.test(path)) return true;
  if (path === undefined || !machine.files || (cwd === undefined && !path.startsWith('/'))) return undefined;
  return machine.files.stat(path.startsWith('/') ? path : `${cwd}/${path}`) !== undefined;
}

/** Unpacking writes over what is there: known to lose nothing only into a place that is not there yet. */
function unpacksInto(call: CallFacts, reading: Reading, ...options: readonly string[]) {
  const into = reading.given.findLast(({ name }) => options.includes(name))?.value;
  bringsFiles(call.machine, into ?? '.');
  const special = specialDirectory(call.machine, into ?? '.');
  if (special) return special;
  if (call.machine.files === undefined) return undefined;
  return isThere(call, into) === false || (into !== undefined && call.machine.scope.made.has(into))
    ? undefined
    : unknown('unpacks over what is there');
}

/** What packs and unpacks. */
export const ARCHIVES: Records = {
  tar: {
    family: 'packages',
    findings: [
      {
        name: 'tar runs a program',
        asks: {
          any: [
            { argument: /^--checkpoint-action=exec|^--to-command|^--info-script|^--new-volume-script|^--rmt-command/ },
            { value: ['--checkpoint-action', /exec=/] },
          ],
        },
        reason: 'tar runs commands',
        match: [
          'tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec="rm -rf y"',
          'tar xf a.tar --to-command=sh',
        ],
        pass: ['tar cf x.tar y --checkpoint=1 --checkpoint-action=dot'],
      },
    ],
    values:
      '-f --file -C --directory --exclude -T --files-from -X --exclude-from -b --blocking-factor -I --use-compress-program --checkpoint-action --to-command -F --info-script --transform -H --format -g --listed-incremental -V --label --strip-components --rmt-command --rsh-command --owner --group --mode --mtime',
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
    // Without -f, which is not known to lose nothing, they refuse to write over a file.
    add: '-o= --output=',
    delete: '-f --force --rm -j',
    operands: 'read',
    judge: removesInput,
  },
  zip: {
    values: '-x -i -P -t -tt -b -n',
    traits: ['prints'],
    tune: '-# -r -q -v -j -x= -i= -P= -y -X -9 -e -D -l -n= -@ -u= -s= -b= -o -k -t= -Z= --recurse-paths --quiet --junk-paths --exclude= --include= --symlinks --encrypt --no-extra --no-dir-entries --compression-method= -T -sf -0',
    run: '-TT= --unzip-command=',
    load: '--test-command',
    delete: '-m -d -f -u -FS -A -F -FF -O= -la -lf --move --delete --freshen --update --filesync --grow -g',
    operands: 'add read',
    judge: (call, reading) =>
      isThere(call, reading.operands[0]?.text) ? unknown('changes an archive that is there') : undefined,
  },
  unzip: {
    valuesOf: 'first',
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
        : unknown('7z writes over what is there'),
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
        : unknown('unpacks over what is there, or packs over it'),
  },
  jar: {
    oldStyle: true,
    tune: '-t -v -c -f= -e= -m= -M -0 --list --create --file=',
    operands: 'read',
    judge: judgeJar,
  },
};

/** `jar cf NAME`: an archive of that name is written over. */
function judgeJar(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const [letters = '', name] = call.args.map(({ text }) => text);
  if (/^-?-?(t|list)/.test(letters)) return undefined;
  const target = reading.given.find((option) => option.name === '-f' || option.name === '--file')?.value ?? name;
  const makes = /^(-?c\w*|--create)$/.test(letters) && (/f/.test(letters) || given(reading, '-f', '--file'));
  if (!makes || target === undefined) return unknown('jar writes over what is there');
  const { machine } = call;
  const fresh = machine.files ? lookAt(machine, target) === 'absent' : target.endsWith('.jar');
  return fresh ? adds(machine, target) : unknown('jar writes over what is there');
}
