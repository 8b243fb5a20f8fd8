import { describe, expect, it } from 'vitest';
import { classify, isAffirmation } from '../../src/router/classify.ts';
import { knownWords, routeLine } from '../../src/router/path-index.ts';
import { measure, otherLanguages } from '../bench/route.ts';
import { ownKnown, ownLines, tldrLines } from '../bench/route-data.ts';

const words = knownWords(ownKnown());
/** A machine with all commands of tldr installed: the hardest case for telling sentences apart. */
const everything = new Set([...tldrLines().known, ...ownKnown(), 'll', 'la', 'please']);
const kindOf = (line: string) => classify(line, words).kind;

describe('prefixes (IN-1)', () => {
  it.each([
    [':help', 'meta', 'help'],
    ['  :norris count files ', 'meta', 'norris count files'],
    ['!why not', 'shell', 'why not'],
    ['?ls -la', 'ai', 'ls -la'],
    ['! ', 'shell', ''],
  ])('decide that %s is %s', (line, kind, text) => {
    expect(classify(line, words)).toMatchObject({ kind, text, forced: true });
  });

  it('keep a command private with two exclamation marks', () => {
    expect(classify('!!cat .env', words)).toMatchObject({ kind: 'shell', private: true, text: 'cat .env' });
    expect(classify('!cat .env', words).private).toBeUndefined();
  });
});

describe('a line without a prefix (IN-2)', () => {
  it.each([
    "find . -name '*.py'",
    'FOO=bar make',
    './run.sh now',
    '(cd src && ls)',
    '[ -f x ] && echo yes',
    'for f in *.txt; do echo $f; done',
    'if [ -f x ]; then\n  cat x\nfi',
    'gti status',
    'echo what is this for',
    'git commit -m "fix what the parser did to the list"',
    'cat 日本語.txt',
    'mkdir テスト',
    'who am i',
    'time ls',
    '',
  ])('goes to the shell: %s', (line) => expect(kindOf(line)).toBe('shell'));

  it.each([
    'find all python files changed last week',
    'make me a file',
    'who is logged in',
    'test the connection',
    "what's up",
    "find why it doesn't start",
    '/etc/hosts what is this for?',
    'if I delete this file can I get it back',
    '列出所有文件',
    'покажи большие файлы',
    'how do I undo the last commit?',
    'git: undo last commit',
    'git как отменить последний коммит',
    'git の最後のコミットを取り消したい',
    'wie groß ist dieser Ordner',
    'sudo why is this not working',
    'any idea?',
    'what now ?',
  ])('goes to the model: %s', (line) => expect(kindOf(line)).toBe('ai'));

  it('is a command or not depending on what is installed', () => {
    expect(classify('zz', { knows: () => true })).toMatchObject({ kind: 'shell', why: 'known command' });
    expect(classify('hello', { knows: () => false }).kind).toBe('ai');
  });

  it.each(['hallo welt', 'queued two', 'second try', 'buongiorno mondo', 'ohai there'])(
    'goes to the model when it consists of plain words that name no program: %s',
    (line) => expect(kindOf(line)).toBe('ai'),
  );

  it.each(['gti status', 'dokcer ps', 'mkae test', 'terraform plan', 'kubectl get pods', 'pnpm dev'])(
    'goes to the shell if it is a typo or a program that is not installed: %s',
    (line) => expect(classify(line, knownWords(new Set(['git', 'docker', 'make']))).kind).toBe('shell'),
  );

  it('that starts with a polite word is classified by the rest, even if the word is an alias', () => {
    const polite = knownWords(new Set([...ownKnown(), 'please', 'apt']));
    expect(classify('please apt update', polite).kind).toBe('shell');
    expect(classify('please update everything', polite).kind).toBe('ai');
  });

  it('starting with an existing path is distinguished from a question about the path', () => {
    const here = { knows: () => false, isPath: (word: string) => word === './serve' };
    expect(classify('./serve --port 80 in the back?', here).kind).toBe('shell');
  });
});

it('a short answer is recognised as an answer', () => {
  for (const line of ['yes', 'Continue', 'do it', 'OK, do it!', "don't", 'no thanks.'])
    expect(isAffirmation(line)).toBe(true);
  for (const line of ['ls', 'yes | head', 'make it', '']) expect(isAffirmation(line)).toBe(false);
});

it('each line of the sample is classified as expected (CL-2)', () => {
  expect(routeLine('{"line":"ls -la"}', words)).toBe('{"kind":"shell"}');
  expect(routeLine('{"line":":help"}')).toBe('{"kind":"meta"}');
  expect(routeLine('{"line":"zork frobnicate","x":1}', knownWords(new Set(['zork'])))).toBe('{"kind":"shell"}');
  for (const bad of ['', 'null', '[]', '{"line":1}', '{']) expect(JSON.parse(routeLine(bad))).toHaveProperty('error');
});

describe('the router’s recall meets its goal', () => {
  it.each(['hard', 'fresh'] as const)('for the %s set', (name) => {
    const { language, commands, wrong } = measure(ownLines(name), ownKnown());
    const said = wrong.map((one) => `${one.kind}: ${one.line}`).join('\n');
    expect(language, said).toBeGreaterThanOrEqual(95);
    expect(commands, said).toBeGreaterThanOrEqual(97);
  });

  it('for the second set, and its other languages', () => {
    const { language, commands, wrong } = measure(ownLines('second'), everything);
    const said = wrong.map((one) => `${one.kind}: ${one.line}`).join('\n');
    expect(language, said).toBeGreaterThanOrEqual(95);
    expect(commands, said).toBeGreaterThanOrEqual(98);
    expect(measure(otherLanguages(), everything).language, said).toBeGreaterThanOrEqual(90);
  });

  it('for tldr-pages', () => {
    const { lines, known } = tldrLines();
    const { language, commands, micros } = measure(lines, known);
    expect(language).toBeGreaterThanOrEqual(98);
    expect(commands).toBeGreaterThanOrEqual(99.5);
    expect(micros).toBeLessThan(1000);
  });
});
