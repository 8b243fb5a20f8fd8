import { type StaticVerdict, unknown } from '../../verdict.ts';
import { lookAt } from '../paths.ts';
import type { CallFacts, Reading, Records } from '../record.ts';

/** Tools for rows and trees of data, some with a language of their own. */
export const TABLE_TOOLS: Records = {
  csvcut: {
    tune: '-# -c= -n -m= -r= -t -d= -l -i -H -s= --columns= --names --not-columns= -C= --no-inference',
    load: '-f= --file=',
    operands: 'read',
  },
  yq: {
    valuesOf: 'first',
    traits: ['prints'],
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
  pdftotext: {
    tune: '-f= -l= -x= -y= -W= -H= -r= -layout -raw -nopgbrk -enc= -eol= -fixed= -htmlmeta -bbox -q -h -v',
    singleDash: true,
    operands: 'read write',
    judge: judgeText,
  },
  pdfinfo: {
    tune: '-f= -l= -enc= -meta -box -dests -isodates -rawdates -v -h',
    singleDash: true,
    operands: 'read',
  },
};

/** Without a second name the text goes beside the document. */
function judgeText({ machine }: CallFacts, reading: Reading): StaticVerdict | undefined {
  const [from, to] = reading.operands;
  if (from === undefined || to !== undefined) return undefined;
  const target = from.text.replace(/\.pdf$/i, '.txt');
  return /^(absent|empty)$/.test(lookAt(machine, target))
    ? undefined
    : unknown('writes its text over a file of that name');
}
