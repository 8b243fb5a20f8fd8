import { expect, test } from 'vitest';
import { transcriptHtml, transcriptMarkdown } from '../../src/commands/export.ts';
import type { Entry } from '../../src/session/entry.ts';

const result = { exit: 1, cwd: '/w', head: 'a ``` b <b>\n', tail: '', omittedLines: 0, bytes: 12, milliseconds: 3 };
const ENTRIES: readonly Entry[] = [
  { kind: 'user', text: 'why *this*?', queued: false },
  { kind: 'exec', op: 'o1', by: 'model', command: 'cat </etc/x', cwd: '/w', private: false, result },
  { kind: 'assistant', text: 'It is `<script>alert(1)</script>`.', preset: 'fast', partial: false },
  { kind: 'notice', level: 'info', text: '[aish] done' },
  { kind: 'resumed', at: new Date(2026, 10, 20, 9, 12).getTime() },
];

test('the exported Markdown puts output in fences that no output can close', () => {
  expect(transcriptMarkdown(ENTRIES)).toBe(`> **why \\*this\\*?**

the model · exit 1

\`\`\`\`
$ cat </etc/x
a \`\`\` b <b>
\`\`\`\`

It is \`<script>alert(1)</script>\`.

*[aish] done*

*resumed Fri 20 Nov 2026, 09:12*
`);
});

test('the exported page runs nothing and loads nothing', () => {
  const page = transcriptHtml(ENTRIES, 'a "session"');
  expect(page).toContain("default-src 'none'");
  expect(page).toContain('<title>a &quot;session&quot;</title>');
  expect(page).toContain('<pre>$ cat &lt;/etc/x\na ``` b &lt;b&gt;</pre>');
  expect(page).not.toMatch(/<script|<b>/);
});
