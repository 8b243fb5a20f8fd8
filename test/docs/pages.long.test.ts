/**
 * What the pages tell people to type: each configuration is checked as the program checks it, each `:` command, bench and
 * check is there, each link leads somewhere, and each command line of ours is run in an empty home.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/table.ts';
import { checkText } from '../../src/config/check.ts';
import { trialsWork } from '../effects/undo/trial-support.ts';
import { lacks } from '../support/lacks.ts';
import { PROGRAM, runProgram, scratch } from '../support/program.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];
const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');

type Block = { readonly page: string; readonly language: string; readonly text: string };
const BLOCKS: readonly Block[] = PAGES.flatMap((page) =>
  [...textOf(page).matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    page,
    language,
    text,
  })),
);

/** What stands in one page in `marks`. */
const marked = (page: string) =>
  [
    ...textOf(page)
      .replace(/^```.*?^```$/gms, '')
      .matchAll(/`([^`\n]+)`/g),
  ].map(([, text = '']) => text);

describe('configurations in the pages', () => {
  // A list is `prices.jsonc`.
  const configs = BLOCKS.filter(({ language, text }) => language === 'jsonc' && !text.startsWith('['));

  it.each(configs.map((block, n) => [`${block.page}, ${n + 1}`, block.text]))('%s is valid', async (_name, text) => {
    const checked = await checkText(text, 'page');
    expect(checked.ok ? [] : checked.mistakes).toEqual([]);
  });

  it('there is one for every kind of server', () => {
    const sections = textOf('docs/models.md').split(/^## /m).slice(1);
    const without = sections.filter((text) => !/^```jsonc$/m.test(text)).map((text) => text.split('\n')[0]);
    expect(without).toEqual(['Which size for what']);
  });
});

describe('names in the pages', () => {
  it.each(PAGES)('%s: commands, benches and checks are there', (page) => {
    const known = new Set(commands.map(({ name }) => name));
    const unknown = marked(page).flatMap((text) => {
      const [, name] = /^:([a-z]+)(?: |$)/.exec(text) ?? [];
      return name !== undefined && name !== 'command' && !known.has(name) ? [text] : [];
    });
    expect(unknown).toEqual([]);
    const lists = { bench: textOf('test/bench/index.ts'), check: `${textOf('test/checks/table.ts')}\n  for: ` };
    for (const [, kind = 'bench', name = ''] of textOf(page).matchAll(/npm run (bench|check) -- ([a-z][a-z:-]*)/g))
      expect(lists[kind === 'check' ? 'check' : 'bench']).toMatch(new RegExp(`^  '?${name}'?: `, 'm'));
  });

  it.each(PAGES)('%s: links lead somewhere', (page) => {
    const targets = [
      ...textOf(page)
        .replace(/`[^`\n]*`/g, '')
        .matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g),
    ];
    for (const [, path = '', anchor] of targets) {
      const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
      expect(existsSync(file), file).toBe(true);
      if (anchor === undefined) continue;
      const anchors = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, head = '']) => anchorOf(head));
      expect(anchors).toContain(anchor);
    }
  });

  it.each(PAGES)('%s: subcommands and options of ours are on the man page', (page) => {
    const man = textOf('docs/aish-tui.1').replaceAll('\\-', '-');
    const words = marked(page).flatMap((text) => {
      const [program, ...rest] = text.split(/ -- | /);
      if (program !== 'aish-tui') return [];
      const [first = ''] = rest;
      const own = text.split(' -- ')[0]?.match(/--[a-z][a-z-]*/g) ?? [];
      return [...own, ...(/^[a-z]+$/.test(first) ? [first] : [])];
    });
    expect(words.filter((word) => !new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(man))).toEqual([]);
  });

  it('what troubleshooting says that you see is what the program says', () => {
    const sources = ['src', 'components', 'aish-tui'].flatMap((place) => filesIn(join(ROOT, place)));
    const all = sources
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
      .replaceAll("\\'", "'");
    const rows = textOf('docs/troubleshooting.md').match(/^\| `.*$/gm) ?? [];
    const seen = rows.flatMap((row) =>
      [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
    );
    expect(seen.length).toBeGreaterThan(5);
    for (const text of seen.filter((one) => one.includes(' ')))
      for (const part of text.split(/…|NAME/).filter((one) => one.trim().length > 5))
        expect(all).toContain(part.trim().replace(/^: /, ''));
  });
});

/** What other programs are asked to do; `npm` is run by the release and the bare machine, the hook has a test of its own. */
const FOREIGN =
  /^(?:claude|tmux|git diff|llama-server|ollama|sudo|cat|cp|chsh|npx|git clone|npm (?:start|test|install|run|link))\b/;

/** What ends otherwise than well in an empty home, and how. */
const OTHER_ENDS: readonly (readonly [RegExp, number])[] = [
  [/^aish-tui mcp (?:login|logout) /, 2],
  [/^aish-tui mcp import /, 2],
  [/^aish-tui config trust/, 2],
  [/^aish-tui guard doctor/, 1],
  [/^aish-tui doctor/, 1],
  [/^aish-tui run --hosts web1/, 3],
  [/^aish-tui run --hosts @/, 2],
  [/^aish-tui sandbox -- touch/, 1],
];

/** What the kernel has to hold. */
const CONFINED = /^aish-tui (?:try|sandbox) /;

describe('command lines in the pages', () => {
  const lines = BLOCKS.filter(({ language }) => language === 'sh' || language === 'bash').flatMap(({ page, text }) =>
    statements(text).map((line) => [page, line] as const),
  );
  const ours = [...new Map(lines.map(([page, line]) => [line, page]))].filter(([line]) => !FOREIGN.test(line));

  it.each(ours.filter(([line]) => !(CONFINED.test(line) && !trialsWork())))('%s (%s)', async (line) => {
    using place = scratch();
    const script = `aish-tui() { "${PROGRAM}" "$@"; }; aish-guard() { "${PROGRAM}" guard "$@"; }; git() { echo a word; }\n${line}`;
    const { code, err } = await runProgram(place, ['-c', script], { file: '/bin/bash', input: '' });
    const end = OTHER_ENDS.find(([pattern]) => pattern.test(line))?.[1] ?? 0;
    expect({ line, ends: [0, end].includes(code ?? -1), err: /unknown (?:option|command)/.test(err) }).toEqual({
      line,
      ends: true,
      err: false,
    });
  });
});

/** Lines of a block as a shell would take them: a loop is one. */
function statements(text: string): readonly string[] {
  if (/^\s*(?:done|fi|\})/m.test(text)) return [text];
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s+)#.*$/, '').trim())
    .filter((line) => line !== '');
}

function filesIn(place: string): readonly string[] {
  if (!existsSync(place)) return [];
  try {
    return readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name));
  } catch {
    return [place];
  }
}

/** As the sites that show these pages make it of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

describe.skipIf(lacks('git'))('the pre-commit hook in headless.md', () => {
  it.each([
    ['echo hello', 0],
    ['rm -rf "$HOME"', 1],
  ])('a commit that adds `%s` ends it with %i', async (line, code) => {
    using place = scratch();
    const hook = BLOCKS.find(({ text }) => text.startsWith('git diff --cached'))?.text ?? '';
    writeFileSync(join(place.work, 'a b.sh'), `${line}\n`);
    const script = `aish-tui() { "${PROGRAM}" "$@"; }; git init -q . && git add . && ${hook}`;
    expect((await runProgram(place, ['-c', script], { file: '/bin/bash', input: '' })).code).toBe(code);
  });
});
