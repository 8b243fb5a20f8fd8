/** Makes docs/config.md from the schema. `node docs/generate/config.ts` writes it; a test checks that it is up to date. */
import { writeFileSync } from 'node:fs';
import { PROJECT_RULES } from '../../src/config/project.ts';
import { SCHEMA, type Schema } from '../../src/config/schema.ts';

const TARGET = new URL('../config.md', import.meta.url);

const HEAD = `# Configuration

One JSONC file: \`--config FILE\`, else \`$AISH_CONFIG\`, else \`~/.config/aish/config.jsonc\`. Everything has a default. The screen starts whatever the file holds: each mistake is listed with its line, and what is wrong is left out. While a key that protects you (\`mode\`, \`safety\`, \`secrets\`, \`cost.stop_at_dollars\`, \`undo\`, \`sandbox\`, \`confirm_cmd\`) can't be read, the model runs nothing until you mend it or choose \`:mode unrestricted\`. Without a screen a mistake ends with exit code 2. [config.example.jsonc](../config.example.jsonc) shows every block. This page is made from the schema (\`docs/generate/config.ts\`).

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
\`aish-tui config show\` prints every value that holds in this directory and the line it comes from; \`config check\` prints all mistakes, \`config edit\` opens your file in your editor and writes back only what is valid. A new file begins with \`$schema\`, by which editors complete.

## A project's instructions

The nearest \`AGENTS.md\`, or else \`CLAUDE.md\`, from the working directory up to the top of its repository becomes part of the system prompt once you trust it; its size is said at start (at most 24,000 characters are used). \`"instructions": false\` leaves it out.

## A project's own file

The nearest \`.aish.jsonc\` from the working directory up to the top of its repository is read over your file. It comes with the repository, so it can never loosen safety, mode or secrets; any other key is ignored and reported.

- At once, and only to tighten (a smaller limit, a stricter setting, an addition to a list): ${keys(false)}. A limit so small that nothing would work any more (\`token_budget\` below 4096, …) needs your trust.
- Once you have said that you trust it (\`aish-tui config trust\`), until its content changes: ${keys(true)}. A server or preset of yours keeps its name.
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
