import {
  countUp,
  cutNumber,
  decodesBase32,
  fromBase64,
  fromHexDump,
  lineNumber,
  linesReversed,
  passesMarks,
  reversed,
  substituted,
  translate,
} from '../../shell/output.ts';
import { hasUnknown, UNKNOWN } from '../../shell/taint.ts';
import { type StaticVerdict, unknown } from '../../verdict.ts';
import { textOf, UNREAD } from '../code.ts';
import { lookAt, specialTarget } from '../paths.ts';
import { type CallFacts, given, type Reading, type Records } from '../record.ts';

/** Programs that read and print text. */
export const TEXT: Records = {
  'cat tac': {
    of: { cat: { output: { gives: 'files' } }, tac: { output: { filter: linesReversed } } },
    traits: ['prints'],
    tune: '-A -b -e -E -n -s -t -T -u -v -r -s= --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting --before --regex --separator=',
    operands: 'read',
  },
  'zcat bzcat xzcat zstdcat': {
    output: { gives: 'unpacked' },
    helpers: 'gzip bzip2 xz zstd',
    tune: '-f -q -v -h -r',
    operands: 'read',
  },
  nl: {
    traits: ['prints'],
    tune: '-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --section-delimiter= --footer-numbering= --header-numbering= --line-increment= --join-blank-lines= --number-format= --no-renumber --number-separator= --starting-line-number= --number-width=',
    operands: 'read',
  },
  head: {
    output: { gives: 'files' },
    traits: ['prints'],
    tune: '-# -c= -n= -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated',
    operands: 'read',
  },
  tail: {
    output: { gives: 'files' },
    traits: ['prints'],
    tune: '-# -c= -f -F -n= -q -r -s= -v -z --bytes= --follow[=] --lines= --max-unchanged-stats= --pid= --quiet --silent --retry --sleep-interval= --verbose --zero-terminated',
    operands: 'read',
  },
  wc: {
    output: { counts: /^(-[lwcmL]|--(lines|words|bytes|chars|max-line-length))$/ },
    traits: ['namesOnly'],
    tune: '-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total=',
    read: '--files0-from=',
    operands: 'read',
  },
  cut: {
    output: { filter: cutNumber },
    traits: ['prints'],
    tune: '-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated',
    operands: 'read',
  },
  paste: { traits: ['prints'], tune: '-d= -s -z --delimiters= --serial --zero-terminated', operands: 'read' },
  tr: {
    output: { filter: translate },
    traits: ['prints'],
    tune: '-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1',
    operands: 'tune',
  },
  'fold fmt': {
    of: { fold: { traits: ['prints'] } },
    tune: '-b -s -w= -c -p= -t -u -g= --bytes --spaces --width= --crown-margin --prefix= --split-only --tagged-paragraph --uniform-spacing --goal=',
    operands: 'read',
  },
  'expand unexpand': { tune: '-a -i -t= --all --first-only --initial --tabs=', operands: 'read' },
  pr: { tune: '-# -a -b -c -d -D= -e -f -F -h= -i -J -l= -m -n -N= -o= -r -s -S -t -T -v -w= -W=', operands: 'read' },
  rev: { output: { filter: reversed }, traits: ['prints'], operands: 'read' },
  comm: {
    traits: ['prints'],
    tune: '-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated',
    operands: 'read',
  },
  join: {
    tune: '-a= -e= -i -j= -o= -t= -v= -1= -2= -z --check-order --nocheck-order --header --ignore-case --zero-terminated',
    operands: 'read',
  },
  'od hexdump hd': {
    of: { 'od hexdump': { traits: ['prints'] } },
    tune: '-A= -j= -N= -S= -t= -v -w= -a -b -c -d -f -i -l -o -s -x -C -n= -e= --address-radix= --endian= --format= --output-duplicates --read-bytes= --skip-bytes= --strings= --traditional --width= --length= --skip= --canonical',
    operands: 'read',
  },
  xxd: {
    output: { filter: fromHexDump },
    traits: ['prints'],
    tune: '-a -b -c= -C -E -e -g= -i -l= -n= -o= -p -ps -s= -u -v -d -r -revert -cols= -len= -plain -postscript -seek= -autoskip -bits -uppercase -include -name= -groupsize=',
    singleDash: true,
    operands: 'read write',
    judge: (_, reading) =>
      given(reading, '-r', '-revert') && reading.operands.length > 1 ? unknown('xxd -r writes over bytes') : undefined,
  },
  strings: {
    traits: ['prints'],
    argFiles: true,
    tune: '-a -d -f -n= -# -o -t= -e= -s= -w --all --data --print-file-name --bytes= --radix= --encoding= --output-separator=',
    operands: 'read',
  },
  'cksum sum': {
    of: { cksum: { traits: ['namesOnly'] } },
    tune: '-a= -r -s -c -b -t -w --algorithm= --base64 --debug --length= --raw --tag --untagged --zero --check --quiet --status --strict --warn --sysv',
    operands: 'read',
  },
  'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum md5': {
    of: { 'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum': { traits: ['namesOnly'] } },
    tune: '-b -c -t -w -z -a= -q -r -s= -l= --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn --algorithm= --length=',
    operands: 'read',
  },
  'base64 base32': {
    of: {
      base64: { traits: ['prints'], output: { filter: fromBase64 } },
      base32: { traits: ['prints'], output: { filter: decodesBase32 } },
    },
    tune: '-d -D -i -w= -b= --decode --ignore-garbage --wrap= --break=',
    operands: 'read',
  },
  seq: { output: { filter: countUp }, tune: '-f= -s= -w -# --format= --separator= --equal-width', operands: 'tune' },
  numfmt: {
    tune: '-d= -z --debug --delimiter= --field= --format= --from= --from-unit= --grouping --header[=] --invalid= --padding= --round= --suffix= --to= --to-unit= --zero-terminated',
    operands: 'tune',
  },
  tsort: { operands: 'read' },
  shuf: {
    tune: '-e -i= -n= -r -z --echo --input-range= --head-count= --repeat --zero-terminated',
    read: '--random-source=',
    write: '-o= --output=',
    operands: 'read',
  },
  uniq: {
    traits: ['prints'],
    tune: '-c -d -D -f= -i -s= -u -w= -z --count --repeated --all-repeated[=] --skip-fields= --group[=] --ignore-case --skip-chars= --unique --zero-terminated --check-chars=',
    operands: 'read write',
  },
  sort: {
    traits: ['prints'],
    tune: '-b -d -f -g -i -M -h -n -R -r -V -c -C -k= -m -s -S= -t= -u -z --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort= --version-sort --batch-size= --check[=] --debug --key= --merge --parallel= --stable --buffer-size= --field-separator= --unique --zero-terminated',
    read: '--files0-from= --random-source=',
    add: '-T= --temporary-directory=',
    write: '-o= --output=',
    run: '--compress-program=',
    operands: 'read',
  },
  split: {
    tune: '-# -a= -b= -C= -d -e -l= -n= -t= -u -x --bytes= --line-bytes= --lines= --number= --suffix-length= --numeric-suffixes --hex-suffixes --elide-empty-files --separator= --unbuffered --verbose',
    run: '--filter=',
    operands: 'read judged',
    judge: judgePieces,
  },
  'grep zgrep bzgrep xzgrep': {
    of: {
      grep: {
        values: '--color',
        traits: ['prints'],
        output: {
          counts: /^(-[EFivwxsh]*c[EFivwxsh]* |--count )(-[EFivwxsh]+ )*[^-\s]\S*( [\w./-]+)?$/,
          filter: lineNumber,
        },
      },
    },
    helpers: 'gzip bzip2 xz sed grep sh',
    tune: '-# -E -F -G -P -e= -i -v -w -x -y -c -L -l -m= -o -q -s -b -H -h -n -T -Z -A= -B= -C= -a -D= -d= -I -r -R -U -z --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color[=] --colour[=] --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --after-context= --before-context= --context= --text --binary-files= --devices= --directories= --exclude= --exclude-dir= --include= --recursive --dereference-recursive --line-buffered --binary --null-data -u',
    read: '-f= --file= --exclude-from=',
    operands: 'read',
  },
  rg: {
    traits: ['prints'],
    tune: '-# -A= -B= -C= -c -e= -E= -F -g= -H -h -i -I -j= -l -L -M= -m= -n -N -o -p -P -q -r= -s -S -t= -T= -u -U -v -w -x -. -0 -a -d= --after-context= --before-context= --context= --count --count-matches --regexp= --encoding= --fixed-strings --glob= --iglob= --with-filename --no-filename --ignore-case --threads= --files-with-matches --files-without-match --follow --max-columns= --max-count= --line-number --no-line-number --only-matching --pretty --pcre2 --quiet --replace= --case-sensitive --smart-case --type= --type-not= --unrestricted --multiline --multiline-dotall --invert-match --word-regexp --line-regexp --hidden --no-hidden --null --text --max-depth= --maxdepth= --color= --colors= --column --no-column --heading --no-heading --files --json --stats --sort= --sortr= --trim --vimgrep --passthru --no-ignore --no-ignore-vcs --no-messages --type-list --debug --one-file-system --no-config --block-buffered --line-buffered --max-filesize= --crlf',
    read: '-f= --file= --ignore-file=',
    run: '--pre= --hostname-bin=',
    load: '-z --search-zip',
    operands: 'read',
  },
  'ag ack': {
    of: { ag: { traits: ['prints'] } },
    tune: '-# -A= -B= -C= -c -i -l -L -n -v -w -o -s -S -Q -r -R -H -h -g= -G= -m= -u -U -a -0 --color --nocolor --count --ignore-case --literal --files-with-matches --hidden --ignore= --type= --column --heading --noheading --nogroup --group --depth= --follow --smart-case --py --js --ts --java --go --ruby --html --css --json --cc --cpp --perl --php --rust --shell --sql --xml --yaml --markdown --python',
    load: '--pager=',
    operands: 'read',
  },
  sed: {
    traits: ['prints'],
    output: { filter: substituted },
    tune: '-n -e= -E -r -l= -s -u -z --quiet --silent --debug --expression= --line-length= --posix --regexp-extended --separate --sandbox --unbuffered --null-data',
    add: '-i --in-place[=]',
    load: '-f= --file=',
    operands: 'judged',
  },
  awk: {
    output: { filter: passesMarks },
    traits: ['prints'],
    tune: '-F= -v= -P -S -O -c -C -n -N -r -s -t -b --field-separator= --assign= --posix --sandbox --re-interval --traditional --csv -k --bignum -M --non-decimal-data --characters-as-bytes --optimize --no-optimize --lint[=]',
    load: '-f= --file= -E= --exec= -i= --include= -l= --load= -L -D --debug[=] -e= --source= -h -d[=] -p[=] -o[=] --dump-variables[=] --profile[=] --pretty-print[=]',
    stopsAtOperand: true,
    operands: 'judged',
  },
  jq: {
    traits: ['prints'],
    tune: '-# -c -n -r -j -a -s -S -C -M -e -R -h --compact-output --null-input --raw-output --raw-output0 --join-output --ascii-output --slurp --sort-keys --color-output --monochrome-output --exit-status --raw-input --tab --indent= --unbuffered --stream --stream-errors --seq --args --jsonargs --arg --argjson --slurpfile --rawfile',
    // Its language can neither write nor run anything.
    read: '-f= --from-file=',
    load: '-L=',
    operands: 'read',
    judge: (call, reading) => {
      const file = reading.given.findLast(({ name }) => /^(-f|--from-file)$/.test(name))?.value;
      return judgeJq((file === undefined ? reading.operands[0]?.text : jqIn(call, file)) ?? '');
    },
  },
  diff: {
    traits: ['prints'],
    tune: '-# -a -b -B -c -C= -d -D= -e -E -F= -i -I= -l -L= -n -N -p -P -q -r -s -S= -t -T -u -U= -v -w -W= -x= -y -Z --brief --report-identical-files --context[=] --unified[=] --ed --rcs --side-by-side --width= --left-column --suppress-common-lines --show-c-function --show-function-line= --label= --expand-tabs --initial-tab --tabsize= --suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --exclude= --starting-file= --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --minimal --horizon-lines= --speed-large-files --color[=] --palette=',
    read: '-X= --exclude-from= --from-file= --to-file=',
    operands: 'read',
  },
  'cmp delta': {
    of: { cmp: { traits: ['prints'] } },
    tune: '-# -b -i= -l -n= -s -u -c -y -w -N -r -q --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent --side-by-side --line-numbers',
    operands: 'read',
  },
  column: {
    traits: ['prints'],
    tune: '-c= -n= -o= -s= -t -x -N= -R= -H= -W= -T= -d -e -J -L --table --separator= --output-separator= --table-columns= --output-width= --json --table-right= --table-hide= --table-noheadings --fillrows',
    operands: 'read',
  },
  iconv: {
    tune: '-f= -t= -c -l -s --from-code= --to-code= --list --silent --verbose',
    write: '-o= --output=',
    operands: 'read',
  },
  'less more bat batcat': {
    of: { 'less more': { traits: ['prints'] }, bat: { traits: ['prints'], output: { gives: 'files' } } },
    helpers: 'lesspipe sh',
    tune: '-# -a -A -b= -B -c -C -d -e -E -f -F -g -G -h= -i -I -J -K -L -m -M -n -N -p= -P= -q -Q -r -R -s -S -u -U -V -w -W -x= -X -y= -z= -~ -l= -H= --style= --language= --line-range= --paging= --plain --number --color= --theme= --wrap= --decorations= --highlight-line= --show-all --list-languages --list-themes --no-init --quit-if-one-screen --RAW-CONTROL-CHARS --chop-long-lines --LINE-NUMBERS --no-pager +G +F',
    write: '-o= -O= --log-file= --LOG-FILE=',
    load: '-k= --lesskey-file= --lesskey-src= --pager=',
    operands: 'read',
  },
  xmllint: {
    tune: '--noout --format --pretty= --xpath= --html --recover --noent -t --nowarning --noblanks --schema= --huge --dropdtd --encode= --valid --c14n --path=',
    write: '-o= --output=',
    load: '--shell --catalogs --dtdvalid= --xinclude',
    operands: 'read',
  },
  shellcheck: {
    tune: '-s= -e= -f= -S= -x -a -C[=] -o= -i= -W= -P= --shell= --exclude= --include= --format= --severity= --external-sources --color[=] --enable= --wiki-link-count= --list-optional --check-sourced',
    operands: 'read',
  },
};

/** Judges the pieces `part_aa`, `part_ab` …: whether they exist is decided by the first. */
function judgePieces({ machine }: CallFacts, reading: Reading): StaticVerdict | undefined {
  const prefix = reading.operands[1]?.text ?? 'x';
  const first = `${prefix}${given(reading, '-d', '--numeric-suffixes', '-x', '--hex-suffixes') ? '00' : 'aa'}`;
  const special = specialTarget(machine, first);
  if (special) return special;
  const found = lookAt(machine, first);
  const fresh = machine.files
    ? found === 'absent' && !given(reading, '-a', '--suffix-length')
    : /(^|[_.-]|part|chunk)$/.test(prefix);
  return fresh ? undefined : unknown('may overwrite existing pieces');
}

/** Returns a jq program from a file; unknown where the file can’t be read, plain where it does not exist. */
function jqIn(call: CallFacts, file: string): string | undefined {
  const text = textOf(call, file);
  return text === UNREAD || (text === undefined && !call.machine.reading) ? UNKNOWN : text;
}

/** Returns the verdict on a jq program: the language runs and writes nothing. */
export function judgeJq(code: string): StaticVerdict | undefined {
  if (hasUnknown(code)) return unknown('an unknown program for jq');
  if (/(^|[^.\w$])(include|import)\b/.test(withoutTexts(code)))
    return unknown('a program for jq that includes another');
  return undefined;
}

/** Returns the code without quoted texts in which nothing is interpolated. */
function withoutTexts(code: string): string {
  return code.includes('\\(') ? code : code.replace(/"(?:[^"\\]|\\[\s\S]?)*(?:"|$)/g, '""');
}
