/**
 * The contents of the pages: each configuration is checked as the program checks it, each `:` command, bench and check
 * exists, and each link has a target.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/table.ts';
import { checkText } from '../../src/config/check.ts';
import { BLOCKS, PAGES, ROOT, textOf } from './blocks.ts';

/** Returns the inline code of a page. */
const marked = (page: string) =>
  [
    ...textOf(page)
      .replace(/^```.*?^```$/gms, '')
      .matchAll(/`([^`\n]+)`/g),
  ].map(([, text = '']) => text);

describe('configurations in the pages', () => {
  // A block that begins with a list is an example of `prices.jsonc`, not a configuration.
  const configs = BLOCKS.filter(({ language, text }) => language === 'jsonc' && !text.startsWith('['));

  it.each(configs.map((block, n) => [`${block.page}, ${n + 1}`, block.text]))('are valid: %s', async (_name, text) => {
    const checked = await checkText(text, 'page');
    expect(checked.ok ? [] : checked.mistakes).toEqual([]);
  });

  it('include one for every kind of server', () => {
    const sections = textOf('docs/models.md').split(/^## /m).slice(1);
    const without = sections.filter((text) => !/^```jsonc$/m.test(text)).map((text) => text.split('\n')[0]);
    expect(without).toEqual([
      'How a model acts',
      'When a model answers badly',
      'When a server fails',
      'Proxies and certificates',
      'Which size for what',
    ]);
  });
});

describe('names in the pages', () => {
  it.each(PAGES)('exist if they are commands, benches or checks: %s', (page) => {
    const known = new Set(commands.map(({ name }) => name));
    const unknown = marked(page).flatMap((text) => {
      const [, name] = /^:([a-z]+)(?: |$)/.exec(text) ?? [];
      return name !== undefined && name !== 'command' && !known.has(name) ? [text] : [];
    });
    expect(unknown).toEqual([]);
    const lists = { bench: textOf('test/bench/index.ts'), check: `${textOf('test/checks/table.ts')}\n  for: ` };
    for (const [, kind = 'bench', name = ''] of textOf(page).matchAll(/npm run (bench|check) -- ([a-z][a-z:-]*)/g))
      expect(lists[kind === 'check' ? 'check' : 'bench']).toMatch(new RegExp(`^  '?${name}'?:\\s`, 'm'));
  });

  it.each(PAGES)('have targets if they are links: %s', (page) => {
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

  it.each(PAGES)('are on the man page if they are subcommands or options: %s', (page) => {
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

  it('appear in the program’s source if they are messages in troubleshooting', () => {
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

/** Returns the anchor that sites make of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
