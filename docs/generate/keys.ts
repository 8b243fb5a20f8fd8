/** Makes docs/keys.md from the key table. `node docs/generate/keys.ts` writes it; a test compares. */
import { writeFileSync } from 'node:fs';
import { showChord } from '../../src/ui/keymap/resolver.ts';
import { CONTEXT_LABELS, KEY_CONTEXTS, KEY_TABLE } from '../../src/ui/keymap/table.ts';

const TARGET = new URL('../keys.md', import.meta.url);

const HEAD = `# Keys

Every key as shipped; \`F1\` and \`:keys\` show them as they are for you. The name in the last column is what \`"keys"\` in the configuration changes: \`{ "keys": { "norris": "f5" } }\`. Where your shell has vi's keys, the prompt has them as well ([guide](guide.md#keys)). This page is made from the key table (\`docs/generate/keys.ts\`).
`;

/** The whole page. */
export function keysPage(): string {
  const parts = KEY_CONTEXTS.map((context) => {
    const rows = KEY_TABLE.filter((binding) => binding.context === context).map(
      ({ command, chords, label }) => `| ${chords.map(code).join(', ')} | ${cell(label)} | \`${context}.${command}\` |`,
    );
    return `\n## ${CONTEXT_LABELS[context]}\n\n| key | what it does | name |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${HEAD}${parts.join('')}`;
}

function code(chord: string): string {
  const shown = showChord(chord);
  return shown.includes('`') ? `\`\` ${shown} \`\`` : `\`${cell(shown)}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

if (import.meta.main) writeFileSync(TARGET, keysPage());
