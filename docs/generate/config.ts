/** Makes docs/config.md from the schema. `node docs/generate/config.ts` writes it; a test checks that it is up to date. */
import { writeFileSync } from 'node:fs';
import { PROJECT_RULES } from '../../src/config/project.ts';
import { SCHEMA, type Schema } from '../../src/config/schema.ts';

const TARGET = new URL('../config.md', import.meta.url);

const HEAD = `# Configuration

Write one JSONC file: \`--config FILE\`, else \`$AISH_CONFIG\`, else \`~/.config/aish/config.jsonc\`. Every key has a default; [config.example.jsonc](../config.example.jsonc) shows every block.

| command | |
|---|---|
| \`aish-tui config show\` | prints every value that holds in this directory, and the line it comes from |
| \`aish-tui config check\` | prints all mistakes |
| \`aish-tui config edit\` | opens your file in your editor, and writes back only valid text |
| \`aish-tui config trust\` | trusts [a project's own file](#a-projects-own-file) |

The screen starts with any file: mistakes are listed with their lines and left out. Without a screen a mistake ends with exit code 2.

- While a key that protects you is invalid (\`mode\`, \`safety\`, \`secrets\`, \`cost.stop_at_dollars\`, \`undo\`, \`sandbox\`, \`confirm_cmd\`), the model runs nothing until you correct it or choose \`:mode unrestricted\`.
- A new file begins with \`$schema\`, so that editors complete and check it.

This page is made from the schema (\`docs/generate/config.ts\`).

| key | type | default | what it is |
|---|---|---|---|
`;

/** The whole page. */
export function configPage(): string {
  return `${HEAD}${rows(SCHEMA, '').join('\n')}\n${projectPart()}`;
}

/** What `.aish.jsonc` may set, from the table that decides it. */
function projectPart(): string {
  const keys = (trusted: boolean) =>
    PROJECT_RULES.filter((rule) => rule.trusted === trusted)
      .map(({ key }) => `\`${key}\``)
      .join(', ');
  return `
## A project's instructions

The nearest \`AGENTS.md\`, or else \`CLAUDE.md\`, up to the top of the repository becomes part of the system prompt once you trust it. At most 24,000 characters are used; the start shows the size. \`"instructions": false\` leaves it out.

## A project's own file

The nearest \`.aish.jsonc\` up to the top of the repository is read after your file. It comes with the repository, so it can't loosen safety, mode or secrets. Other keys are ignored and reported.

Without your trust it can only tighten (a smaller limit, a stricter setting, an addition to a list):

${keys(false)}

With your trust (\`aish-tui config trust\`), until its content changes:

${keys(true)}

- A limit that would stop everything (\`token_budget\` below 4096, …) needs your trust.
- It can't replace a server or preset of yours.
`;
}

function rows(schema: Schema, path: string): string[] {
  const found: string[] = [];
  for (const [name, part] of Object.entries(schema.properties ?? {}))
    found.push(...row(part, path === '' ? name : `${path}.${name}`));
  if (typeof schema.additionalProperties === 'object' && schema.additionalProperties.properties) {
    found.push(...rows(schema.additionalProperties, `${path}.NAME`));
  }
  return found;
}

function row(part: Schema, path: string): string[] {
  const fallback = part.default === undefined ? '' : `\`${JSON.stringify(part.default)}\``;
  const own = `| \`${path}\` | ${typeOf(part)} | ${fallback} | ${part.description ?? ''} |`;
  return [own, ...rows(part, path), ...(part.items?.properties ? rows(part.items, `${path}[]`) : [])];
}

function typeOf(part: Schema): string {
  if (part.enum) return part.enum.map((value) => `\`${value}\``).join(' ');
  if (part.anyOf) return part.anyOf.map(typeOf).join(' or ');
  if (part.type === 'array') return `list of ${part.items?.type ?? 'values'}`;
  return part.type ?? '';
}

if (process.argv[1] === import.meta.filename) writeFileSync(TARGET, configPage());
