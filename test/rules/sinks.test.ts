import { expect, it } from 'vitest';
import { readSources } from './architecture.ts';

/** Calls that write to a file. */
const WRITES = /\b(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream)\(/;

/** Every file of src/ that writes to disk, and how secrets are kept out (SE-2). A new one must be considered. */
const WRITERS: Readonly<Record<string, string>> = {
  'src/store/journal.ts': 'the engine hides before it appends',
  'src/store/history.ts': 'given the filter: a line with a secret is not written',
  'src/store/log.ts': 'given the filter',
  'src/effects/undo/disk.ts': 'what the record beside it hands over, whose words are hidden first',
  'src/effects/undo/net.ts': 'paths, as in the record beside it',
  'src/effects/undo/record.ts': 'given the filter: the words of an action are hidden first',
  'src/effects/undo/explained.ts': 'paths, as in the record beside it',
  'src/effects/undo/launcher.ts': 'whether copies share their blocks, found by trying',
  'src/effects/undo/waiting.ts': 'given the filter: a diff is hidden first; paths are as in the record beside it',
  'src/store/memory.ts': 'given the filter',
  'src/cli/crash.ts': 'hides message and stack',
  'src/integrations/guard/allowance.ts': 'given the filter: a denied command is hidden first',
  'src/app/services.ts': 'text of the session, which holds handles',
  'src/executor/output-file.ts': 'full outputs of commands: in clear by design, 0600, gone with their session',
  'src/executor/user-programs.ts': "the user's own draft, for the user's own editor",
  'src/tools/patch/tool.ts': 'the files that the model edits on this machine get the true values',
  'src/tools/mcp/oauth/provider.ts': 'tokens of logins, in clear by design, 0600; the filter learns each',
  'src/config/write.ts': 'the choice of a model; keys are named by their variable',
  'src/config/project.ts': 'hashes of files',
  'src/costs/ledger.ts': 'numbers',
  'src/costs/pricing.ts': 'numbers',
  'src/app/attachments/read.ts': 'an image that the user named, 0600, gone with its session',
  'src/fleet/ansible.ts': 'a judged command, which no secret is restored in; 0600, gone with its call',
  'src/app/create-app.ts': 'what the user has seen, by their wish, 0600',
  'src/store/disk.ts': 'the name of a command and kinds of words',
  'src/store/host-records.ts': 'names of hosts and of directories there',
  'src/store/lock.ts': 'a process id',
  'src/executor/private-directory.ts': "the shell's start-up file; the user's own line, 0600 and gone with its end",
  'src/executor/completion/shell-answers.ts': "the user's half line, 0600, for the user's own shell",
  'src/effects/sandbox/detect.ts': 'the self-test of the sandbox',
  'src/effects/sandbox/compile.ts': 'a header for the launcher, at build time',
  'src/app/known-trees.ts': 'names of directories in which the user ran something, 0600',
  'src/app/own-starts.ts': 'names of files that a model changed, 0600; hashes of commands',
  'src/safety/rules/table.ts': 'the name of a call that it looks for',
};

it('every file that writes to disk is listed with its treatment of secrets', () => {
  const writers = [...readSources()].flatMap(([path, text]) =>
    path.startsWith('src/') && path.endsWith('.ts') && WRITES.test(text) ? [path] : [],
  );
  expect(writers.filter((path) => !(path in WRITERS))).toEqual([]);
});

it('each log or store is opened with the secrets filter, and each kind of output is written at only one place in the source', () => {
  const sources = [...readSources()].filter(([path]) => path.startsWith('src/'));
  const callers = (call: RegExp) => sources.flatMap(([path, text]) => (call.test(text) ? [path] : []));
  const source = (path: string) => sources.find(([name]) => name === path)?.[1] ?? '';
  for (const sink of ['openHistory', 'openMemory', 'createLog']) {
    expect(callers(new RegExp(`(?<!function )\\b${sink}\\(`)), sink).toEqual(['src/app/services.ts']);
    expect(source('src/app/services.ts')).toMatch(new RegExp(`${sink}\\([^;]*?hidden[,)]`));
  }
  expect([...callers(/journal\.append\(/)].sort()).toEqual(['src/engine/engine.ts', 'src/fleet/start-and-resume.ts']);
  // A fleet's records have passed the filter when they enter.
  expect(source('src/fleet/fleet-run.ts')).toContain('this.#queue.push(this.#options.hide(body))');
  // Every request goes through this broker, which applies the filter.
  expect(callers(/(?<!function )\bcreateBroker\(/).filter((path) => path !== 'src/app/doctor.ts')).toEqual([
    'src/app/models.ts',
  ]);
  expect(source('src/app/models.ts')).toContain('preparedFor(filter, preset, messages)');
});
