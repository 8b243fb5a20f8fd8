import { realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KNOWN_PROGRAMS } from '../../src/safety/programs/records/index.ts';
import { FAMILIES } from '../../src/safety/rules/table.ts';
import { examplesOf } from '../../test/support/rule-examples.ts';

const OUT = fileURLToPath(new URL('../safety.md', import.meta.url));

const HEAD = `# The safety gate

Nothing a model asks for runs before the gate has judged it. It reads the command as a shell would read it, without
running anything: quoting, variables, substitutions, functions, here-documents, pipes into shells, and the wrappers and
interpreters that carry a command inside an argument. The answer is one of three:

- **destructive**: a row of the tables below matched. The action HALTs and says which row and why.
- **safe**: a proof. Every program in it has a record, and so have its subcommand, every option, every operand and every
  variable set for it; each is judged by what it does (reads, prints, writes, runs, sends, deletes), and all of them only
  read or only add. It runs. Where one of these is missing, the answer is *unknown* and names what is missing.
- **unknown**: nothing known against it, but not known to be harmless either. A model is asked for a second opinion
  (\`safety.llm_second_opinion\`); whatever is not a clear *NO* HALTs. Where the kernel bounds the command (Restricted) or
  keeps what it changes (Project), no model is asked and it runs.

The model is shown the command, your goal, why the rules do not know the command, and of the scripts it runs up to 3,000
characters of the lines that do something. These stand between marks as data, each line behind a bar.

A command that can't be resolved into the code that would run is never called harmless. Overwriting is judged with the file system
looked at: writing a new file is fine, emptying one that holds something is not.

What a command runs is read too, as far as it can be: \`python3 x.py\`, \`bash x.sh\`, \`./x\`, and the modules of the project
that a script imports, three levels deep and up to 256 kB each, the script behind \`npm run x\`, and the recipes of
makefiles that are plain enough. Python is judged by its syntax tree
([why](decisions/python-by-its-tree.md)), shell scripts as commands are; other languages stay unknown. What was read is bound
to the judgement: where one of the files has changed by the time of the launch, or one that was missing is there,
nothing runs.

A project is **new** when its directory appeared during a session, cloned or unpacked, until you have run a command
there and a later session begins. In a new project whatever runs its code without being read (tests, builds, linters,
wrappers, compose) is unknown; in Project mode it runs, held to the tree. What the model itself wrote is not new. The
directories you have worked in are listed in \`~/.local/state/aish/trees.jsonl\`.

Files that the model's own actions made in this conversation are its own: overwriting, editing or deleting exactly
those is not destructive. The program knows them by looking before and after each action. A file is nobody's any more
once someone else has changed it, and links and files with several names never count.

\`aish-tui safety check '<command>'\` and \`:safety check <command>\` judge without running; \`:safety patterns\` lists the rows
in force. \`safety.destructive_patterns\` adds patterns of your own, \`safety.disable_rules\` takes rows out by name: what
they would have caught is then asked about, not waved through.

A dry run is an option of one subcommand, the last one given wins, and it lifts only what is deleted or written. Writing
a file that decides what runs later (\`.git/hooks\`, a shell's start file, \`Makefile\`, \`package.json\` …) is never safe, and
neither is the tool that obeys it afterwards in the same command. A key, token or password that is given to a program
which talks to another machine is destructive; one that would be shown to a model elsewhere is asked about.

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
  parts.push('What these do is known option by option; whatever else a command names is unknown.\n');
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
