import { isCredential } from '../../credential-files.ts';
import { hasUnknown } from '../../shell/taint.ts';
import { type StaticVerdict, unknown } from '../../verdict.ts';
import { lookAt } from '../paths.ts';
import { type CallFacts, given, type Reading, type Records } from '../record.ts';

/** Tools for rows and trees of data, some with a language of their own. */
export const TABLE_TOOLS: Records = {
  'csvcut csvgrep csvlook csvstat csvsort csvjson': {
    tune: '-# -c= -n -m= -r= -t -d= -l -i -H -s= --columns= --names --not-columns= -C= --no-inference',
    load: '-f= --file=',
    operands: 'read',
  },
  xsv: {
    global: true,
    tune: '-# -d= -n -i -v -s= -l= --delimiter= --no-headers --ignore-case --select= --limit= --len= --start= --end= --everything --nulls --median --mode --cardinality --numeric --reverse --invert-match',
    write: '-o= --output=',
    idle: '-h --list',
    subs: {
      'cat count fixlengths flatten fmt frequency headers input join sample select search slice sort stats table reverse':
        {
          operands: 'judged',
          judge: (_, reading) =>
            reading.operands.some(({ text }) => isCredential(text)) ? unknown('reads a credential') : undefined,
        },
    },
  },
  qsv: {
    global: true,
    tune: '-# -d= -n -i -v -s= -l= --delimiter= --no-headers --ignore-case --select= --limit= --len= --start= --end=',
    write: '-o= --output=',
    idle: '-h --list',
    subs: { 'count headers slice select search sort table frequency': { operands: 'tune read' } },
  },
  mlr: {
    stopsAtOperand: true,
    singleDash: true,
    tune: '--icsv --ocsv --ojson --ijson --ijsonl --ojsonl --opprint --ipprint --oxtab --ixtab --otsv --itsv --omd --inidx --onidx --json --jsonl --csv --tsv --xtab --pprint --nidx --c2p --c2j --c2t --c2d --c2m --c2l --c2b --j2c --j2t --j2p --t2c --t2j --t2p --p2c --csvlite --implicit-csv-header --headerless-csv-output --headerless-csv-input --allow-ragged-csv-input --barred --right --no-auto-flatten --no-auto-unflatten -n --ifs= --ofs= --fs= --ips= --ops= --ps= --irs= --ors= --rs= --repifs --from= --nr-progress-mod= --records-per-batch= --ofmt= --no-color -M --color -C -S -A -O --skip-comments --pass-comments',
    load: '-s= --load= --mload= --prepipe= --prepipex= --prepipe-gunzip',
    delete: '-I',
    idle: '--version --help -h -l -L -f -F -k -K',
    operands: 'judged',
    control: /(^|\/)\.mlrc$/,
    judge: judgeMlr,
  },
  'yq xq tomlq': {
    touches: 'changes',
    of: { yq: { valuesOf: 'first', traits: ['prints'] } },
    helpers: 'jq python3',
    tune: '-# -r -c -n -j -y -Y -P -o= -p= -I= -e -S -C -M -N -0 --raw-output --output-format= --input-format= --prettyPrint --indent= --unwrapScalar --colors --no-colors --exit-status --null-input --no-doc --front-matter= --width= --yaml-output --slurp',
    delete: '-i --inplace --in-place',
    // One yq reads all at once by `-s`, the other writes a file for each document.
    load: '-s= -f= --from-file= --split-exp= --split-exp-file=',
    operands: 'read',
    judge: ({ args }) =>
      args.some(({ text }) => /\b(system|load\w*)\s*\(|strenv|\$ENV\b|(^|[^.\w])env\b/.test(text))
        ? unknown('yq reads or runs something else')
        : undefined,
  },
  'gron jless': { tune: '-s -u -c -m -j --stream --ungron --colorize --monochrome --json', operands: 'read' },
  fx: {
    tune: '-r -s --raw --slurp',
    operands: 'read',
    control: /(^|\/)\.fxrc\.js$/,
    judge: (_, reading) => (reading.operands.length > 1 ? unknown('code for fx') : undefined),
  },
  pdftotext: {
    tune: '-f= -l= -x= -y= -W= -H= -r= -layout -raw -nopgbrk -enc= -eol= -fixed= -htmlmeta -bbox -q -h -v',
    singleDash: true,
    operands: 'read write',
    judge: judgeText,
  },
  'pdfinfo pdffonts': {
    tune: '-f= -l= -enc= -meta -box -dests -isodates -rawdates -v -h',
    singleDash: true,
    operands: 'read',
  },
  pdfimages: {
    tune: '-list -f= -l= -v -h',
    singleDash: true,
    operands: 'read write',
    judge: (_, reading) => (given(reading, '-list') ? undefined : unknown('writes pictures whose names it computes')),
  },
};

/** Verbs of Miller that only pass on what they read. Others write files (`tee`, `split`), or take an expression. */
const VERBS = new Set(
  `altkv bar bootstrap bottom case cat count count-distinct count-similar cut decimate fill-down fill-empty flatten format-values
   fraction gap grep group-by group-like gsub having-fields head histogram json-parse json-stringify label latin1-to-utf8
   join least-frequent merge-fields most-frequent nest nothing regularize rename reorder repeat reshape sec2gmt sec2gmtdate seqgen
   shuffle skip-trivial-records sort sort-within-records sort-within-records-values sparsify split-join splitax split-lines ssub
   stats1 stats2 step strptime sub summary tac tail template top utf8-to-latin1 unflatten uniq unspace unsparsify`
    .split(/\s+/)
    .filter((name) => name !== ''),
);
/** What its language runs or writes by: functions, and statements that print to somewhere else. */
const ACTS = /\b(system|exec|tee|split\w*|os_type|ENV|load)\b|\b(print\w*|eprint\w*|emit\w*|dump|edump)\b[^;}]*[>|]/;

/** Verbs joined by `then`, then files: each verb must be known to write nothing. */
function judgeMlr(_: CallFacts, reading: Reading): StaticVerdict | undefined {
  const words = reading.operands.map(({ text }) => text);
  if (words.some((word) => isCredential(word))) return unknown('reads a credential');
  if (words.some(hasUnknown)) return unknown('words for mlr that are not known');
  let verb = '';
  for (const [at, word] of words.entries()) {
    if (at === 0 || words[at - 1] === 'then') {
      verb = word;
      if (!VERBS.has(verb) && !/^(put|filter)$/.test(verb))
        return unknown(`mlr ${verb.slice(0, 40)} may write or run something`);
      continue;
    }
    if (/^--?(prepipex?|load|mload)\b/.test(word)) return unknown('mlr reads through a program');
    if (!/^(put|filter)$/.test(verb)) continue;
    if (/^-[fs]$/.test(word) || ACTS.test(word)) return unknown('code for mlr that may write or run something');
  }
  return undefined;
}

/** Without a second name the text goes beside the document. */
function judgeText({ machine }: CallFacts, reading: Reading): StaticVerdict | undefined {
  const [from, to] = reading.operands;
  if (from === undefined || to !== undefined) return undefined;
  const target = from.text.replace(/\.pdf$/i, '.txt');
  return /^(absent|empty)$/.test(lookAt(machine, target))
    ? undefined
    : unknown('writes its text over a file of that name');
}
