import { realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KNOWN_PROGRAMS } from '../../src/safety/programs/records/index.ts';
import { FAMILIES } from '../../src/safety/rules/table.ts';
import { examplesOf } from '../../test/support/rule-examples.ts';

const OUT = fileURLToPath(new URL('../safety.md', import.meta.url));

const HEAD = `# The safety gate

The gate judges every action of the model before it runs. To see the verdict on a command without running it:

| | |
|---|---|
| \`aish-tui safety check '<command>'\`, \`:safety check <command>\` | the verdict on a command |
| \`:safety patterns\` | the rules in force |
| \`safety.destructive_patterns\` | adds patterns of your own |
| \`safety.disable_rules\` | turns rules off by name; the commands that they caught are then unknown, not safe |

The gate reads a command as a shell would: quoting, variables, substitutions, functions, here-documents, pipes into shells, and commands within the arguments of other programs. The verdict is one of three:

- **destructive**: a rule of the tables below matched. The action HALTs and shows the rule's reason.
- **safe**: every program in the command has a record, and so has each option, operand and variable; all of them only read or only add. The command runs.
- **unknown**: anything else; the reason names the unknown part. A model gives a second opinion (\`safety.llm_second_opinion\`); anything but a clear *NO* HALTs. In Restricted and Project, where the kernel confines the command or \`:undo\` covers it, it runs without a second opinion. So does a formatter, also in Unrestricted, while undo keeps the files that it changes.

The second opinion gets the command, your goal, the reason why the rules do not know the command, and up to 3,000 characters of the scripts that it runs.

## What it takes into account

- **Files**: writing a new file is fine, overwriting one with content is not. Files that the model made in this conversation are its own, until somebody else changes them.
- **Scripts**: \`python3 x.py\`, \`bash x.sh\`, \`./x\`, \`npm run x\`, plain makefiles, and the project's modules that a script imports, three levels deep and up to 256 kB each. Other languages stay unknown. If one of these files changes before the launch, nothing runs ([how Python is judged](decisions/python-by-its-tree.md)).
- **Installers**: a package by its plain name, from the installer's own registry, is safe in every ecosystem. A file, an address, a path or an install without a name is unknown ([why](decisions/what-an-install-counts-as.md)).
- **Environments of Python**: \`. .venv/bin/activate\` and \`.venv/bin/pytest\` run the project's code, as its tests do.
- **New projects**: a directory that was cloned or unpacked during a session is new until a later session, once you have run a command there. Its tests, builds and wrappers are unknown, and so is git where hooks or settings that start programs came with it. Known directories are in \`~/.local/state/aish/trees.jsonl\`.
- **Dry runs** count for the subcommand that has the option, and only for deleting and writing.
- **Files that decide what runs later** (\`.git/hooks\`, a shell's start file, \`Makefile\`, \`package.json\` …): writing one is never safe, and neither is the program that obeys it in the same command.
- **Keys**: giving a key to a program that talks to another machine is destructive. Showing one to a model elsewhere asks.

Code that can't be resolved is never safe.

This page is generated from the records in \`src/safety/programs/records/\` and the tables in \`src/safety/rules/\` by \`node docs/generate/safety.ts\`.
`;

/** The page as text; the test compares it with the file. */
export function safetyPage(): string {
  const parts = [HEAD];
  for (const [family, rules] of Object.entries(FAMILIES)) {
    parts.push(`## ${family.charAt(0).toUpperCase()}${family.slice(1)}\n`);
    parts.push('| rule | why | for example | but not |\n|---|---|---|---|');
    for (const rule of new Map(rules.map((each) => [`${each.name} ${each.reason}`, each])).values()) {
      const examples = [code(examplesOf(rule, 'destructive')), code(examplesOf(rule, 'safe'))];
      parts.push(`| ${cell(rule.name)} | ${cell(rule.reason)} | ${examples.join(' | ')} |`);
    }
    parts.push('');
  }
  parts.push('## Programs with a record\n');
  parts.push('The gate knows these option by option. A command with any other program is unknown.\n');
  parts.push(`${KNOWN_PROGRAMS.map((name) => `\`${name}\``).join(' ')}\n`);
  return parts.join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/** The two shortest one-line examples. */
function code(lines: readonly string[]): string {
  return lines
    .filter((line) => !line.includes('\n') && !line.includes('`'))
    .toSorted((a, b) => a.length - b.length)
    .slice(0, 2)
    .map((line) => `\`${line.replaceAll('|', '\\|')}\``)
    .join('<br>');
}

const invoked = process.argv[1];
if (invoked !== undefined && realpathSync(invoked) === fileURLToPath(import.meta.url)) writeFileSync(OUT, safetyPage());
