import { deletesOnlyOwn } from '../ownership.ts';
import type { CallFacts, Records, Spec } from '../record.ts';

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
