import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkLine, judgeCommand } from '../../src/safety/index.ts';
import { cases } from '../support/cases.ts';

const destructive = fc.constantFrom(
  'rm -rf /srv/x',
  'rm notes.txt',
  'git push --force',
  'git reset --hard HEAD~1',
  'find . -delete',
  'dd if=/dev/zero of=/dev/sda',
  'mkfs.ext4 /dev/sdb',
  'kill -9 1',
  'chmod -R 777 .',
  'docker rm -f web',
  'kubectl delete pod x',
  'truncate -s 0 log',
  'systemctl stop db',
  "psql -c 'drop table t'",
  'shred x',
  'pip uninstall -y x',
  "sed -i 's/a/b/' f",
  'iptables -F',
);
const safe = fc.constantFrom(
  'ls -la',
  'git status',
  'echo hello',
  'cat a.txt',
  'pwd',
  'date +%s',
  'grep -rf list .',
  'true',
);
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

type Wrap = (line: string) => string;

const wrappers: readonly Wrap[] = [
  (line) => `sudo ${line}`,
  (line) => `sudo -u root -E ${line}`,
  (line) => `env A=1 ${line}`,
  (line) => `nohup ${line} &`,
  (line) => `timeout 5 ${line}`,
  (line) => `nice -n 5 ${line}`,
  (line) => `time ${line}`,
  (line) => `command ${line}`,
  (line) => `exec ${line}`,
  (line) => `bash -c ${quoted(line)}`,
  (line) => `sh -c ${quoted(line)}`,
  (line) => `eval ${quoted(line)}`,
  (line) => `echo ${quoted(line)} | bash`,
  (line) => `bash <<< ${quoted(line)}`,
  (line) => `bash <<'END'\n${line}\nEND`,
  (line) => `ssh host ${quoted(line)}`,
  (line) => `xargs -I{} sh -c ${quoted(line)}`,
  (line) => `find . -maxdepth 0 -exec sh -c ${quoted(line)} \\;`,
  (line) => `docker exec web sh -c ${quoted(line)}`,
  (line) => `kubectl exec pod -- sh -c ${quoted(line)}`,
  (line) => `tmux new -d ${quoted(line)}`,
  (line) => `flock /tmp/l -c ${quoted(line)}`,
  (line) => `su - bob -c ${quoted(line)}`,
  (line) => `watch ${quoted(line)}`,
  (line) => `python3 -c ${quoted(`import os; os.system(${JSON.stringify(line)})`)}`,
  (line) => `if true; then ${line}; fi`,
  (line) => `for i in 1 2; do ${line}; done`,
  (line) => `while true; do ${line}; done`,
  (line) => `( ${line} )`,
  (line) => `{ ${line}; }`,
  (line) => `f() { ${line}; }; f`,
  (line) => `x=$( ${line} )`,
  (line) => `cat <(${line})`,
  (line) => `echo "$( ${line} )"`,
  (line) => `trap ${quoted(line)} EXIT`,
  (line) => `c=${quoted(line)}; eval "$c"`,
  (line) => `printf '%s' ${quoted(line)} | sh`,
  (line) => `echo ${Buffer.from(line).toString('base64')} | base64 -d | sh`,
  (line) => `case x in *) ${line};; esac`,
  (line) => `! ${line}`,
  (line) => `true && ${line}`,
  (line) => `cd /tmp; ${line}`,
  (line) => `cat > s.sh <<'END'\n${line}\nEND\nbash s.sh`,
];
const wrapper = fc.constantFrom(...wrappers);

test('no wrapper, quoting or substitution makes a destructive line safe', () => {
  fc.assert(
    fc.property(destructive, fc.array(wrapper, { minLength: 1, maxLength: 3 }), (line, chosen) => {
      const wrapped = chosen.reduce<string>((text, wrap) => wrap(text), line);
      const { verdict } = judgeCommand(wrapped);
      // Here-documents inside one-line wrappers are not always valid shell any more: unknown is right then.
      expect(verdict, wrapped).not.toBe('safe');
      if (chosen.length === 1) expect(verdict, wrapped).toBe('destructive');
    }),
    { numRuns: cases(300) },
  );
});

test('quoting single characters of the command word does not change the verdict', () => {
  const quotes: readonly Wrap[] = [(c) => `\\${c}`, (c) => `'${c}'`, (c) => `"${c}"`, (c) => c];
  const quote = fc.constantFrom(...quotes);
  fc.assert(
    fc.property(destructive, fc.array(quote, { minLength: 12, maxLength: 12 }), (line, chosen) => {
      const [word = '', ...rest] = line.split(' ');
      const disguised = [...word].map((c, i) => (chosen[i] ?? ((x: string) => x))(c)).join('');
      const text = [disguised, ...rest].join(' ');
      expect(judgeCommand(text).verdict, text).toBe('destructive');
    }),
    { numRuns: cases(100) },
  );
});

test('a safe line before or after a destructive one does not hide it', () => {
  const join = fc.constantFrom('; ', ' && ', ' || ', '\n', ' | ', ' & ');
  fc.assert(
    fc.property(
      destructive,
      fc.array(safe, { maxLength: 3 }),
      fc.array(safe, { maxLength: 3 }),
      join,
      (line, before, after, sep) => {
        const text = [...before, line, ...after].join(sep);
        expect(judgeCommand(text).verdict, text).toBe('destructive');
      },
    ),
    { numRuns: cases(100) },
  );
});

test('inert text in an echo argument or a comment changes no verdict', () => {
  const inert = fc.constantFrom(
    'rm -rf /',
    'git push --force',
    '$(rm x)',
    '`rm x`',
    '> /dev/sda',
    'DROP TABLE t',
    '; kill -9 1',
    'hello',
  );
  fc.assert(
    fc.property(fc.oneof(destructive, safe), inert, (line, text) => {
      const { verdict } = judgeCommand(line);
      expect(judgeCommand(`echo ${quoted(text)}; ${line}`).verdict).toBe(verdict);
      expect(judgeCommand(`${line} # ${text}`).verdict).toBe(verdict);
      expect(judgeCommand(`${line}\n# ${text}`).verdict).toBe(verdict);
    }),
    { numRuns: cases(60) },
  );
});

test('any text gets a verdict, and the probe prints one line', async () => {
  const shellish = fc.array(
    fc.constantFrom(
      '$(',
      ')',
      '`',
      '"',
      "'",
      '<<E',
      '\n',
      'E',
      '|',
      ';',
      '&',
      '>',
      '<',
      '(',
      '{',
      '}',
      'rm',
      ' ',
      '$x',
      '\\',
      '[[',
      ']]',
      'if',
      'do',
      'done',
      '((',
      '))',
      '${',
      '#',
      '!',
      '\0',
      '\ud800',
    ),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 200 }),
        shellish.map((parts) => parts.join('')),
      ),
      async (text) => {
        expect(['destructive', 'safe', 'unknown']).toContain(judgeCommand(text).verdict);
        expect(JSON.parse(await checkLine(JSON.stringify({ cmd: text })))).toHaveProperty('verdict');
      },
    ),
    { numRuns: cases(300) },
  );
});
