/** `aish-tui config`: the configuration's path; `show`, `check`, `edit`, `trust`. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { processFilter } from '../app/secrets-filter.ts';
import {
  checkText,
  createTrust,
  type Instructions,
  type Loaded,
  loadConfig,
  placesOf,
  readInstructions,
  settingsOf,
  writePrivate,
} from '../config/index.ts';
import { editText } from '../executor/index.ts';
import { visible } from '../text/sanitize.ts';
import { EXIT } from './exit-codes.ts';
import { escapeJson, type Writer } from './print.ts';

export type ConfigWish = {
  readonly what: 'where' | 'show' | 'check' | 'edit' | 'trust';
  /** The file from `--config`, or the argument of `check`. */
  readonly file?: string;
  readonly json: boolean;
};

const SCHEMA_FILE = fileURLToPath(new URL('./config.schema.json', import.meta.url));

/** Returns exit code 0, or 2 if the configuration is wrong or the request can't be fulfilled. */
export async function configCommand(wish: ConfigWish, out: Writer, err: Writer): Promise<number> {
  const complain = (line: string): number => {
    err(`aish-tui: ${line}\n`);
    return EXIT.usage;
  };
  if (wish.what === 'edit') return edit(wish, out, complain);
  const trust = createTrust(placesOf(process.env).state);
  const options = { cwd: process.cwd(), trust };
  const loaded = await loadConfig(wish.file, process.env, options);
  if (!loaded.ok) {
    for (const line of loaded.mistakes) err(`${wish.what === 'check' ? '' : 'aish-tui: '}${visible(line)}\n`);
    return EXIT.usage;
  }
  const told = await readInstructions(process.env, options);
  switch (wish.what) {
    case 'where':
      where(loaded, told, out);
      return EXIT.ok;
    case 'show':
      show(loaded, wish.json, out);
      return EXIT.ok;
    case 'check':
      return check(loaded, out, err);
    case 'trust':
      return believe(loaded, told, trust, out, complain);
  }
}

type Ok = Extract<Loaded, { ok: true }>;

function where({ file, project, notices }: Ok, told: Instructions | undefined, out: Writer): void {
  out(`file     ${file ?? `none; it would be ${placesOf(process.env).config}`}\n`);
  out(`project  ${visible(project?.path ?? 'none')}\n`);
  if (told) out(`told     ${visible(told.path)} (${told.trusted ? 'trusted' : 'not trusted'})\n`);
  out(`schema   ${SCHEMA_FILE}\n`);
  for (const line of notices) out(`${visible(line)}\n`);
}

/** Values pass through the secrets filter, because users paste this output into reports. */
function show(loaded: Ok, json: boolean, out: Writer): void {
  const settings = settingsOf(loaded).map((setting) => ({ ...setting, value: hidden(setting.key, setting.value) }));
  if (json) return out(`${escapeJson(JSON.stringify(settings, null, 2))}\n`);
  for (const { key, value, origin, place } of settings)
    out(
      `${key} = ${visible(JSON.stringify(value))}  (${visible(place ?? origin)}${origin === 'project' ? ', project' : ''})\n`,
    );
}

/** Values for MCP servers are hidden, because they are usually keys. */
function hidden(key: string, value: unknown): unknown {
  return /^(?:mcp\.servers\.[^.]+\.(?:env|headers)|models\.[^.]+\.headers)\./.test(key)
    ? '…'
    : processFilter().hide(value);
}

/** The user's file is valid at this point. A wrong project file is ignored at the start, but reported here. */
function check({ file, project, notices }: Ok, out: Writer, err: Writer): number {
  for (const line of notices) err(`${visible(line)}\n`);
  const right = [file, notices.length === 0 ? project?.path : undefined].filter((path) => path !== undefined);
  for (const path of right) out(`${visible(path)}: ok\n`);
  if (right.length === 0 && notices.length === 0) out('no configuration file: the defaults apply\n');
  return notices.length === 0 ? EXIT.ok : EXIT.usage;
}

function believe(
  { project }: Ok,
  told: Instructions | undefined,
  trust: ReturnType<typeof createTrust>,
  out: Writer,
  complain: (line: string) => number,
): number {
  const files = [project, told && { path: told.path, text: readFileSync(told.path, 'utf8') }].filter(
    (file) => file !== undefined,
  );
  if (files.length === 0)
    return complain('there is no .aish.jsonc, AGENTS.md or CLAUDE.md in this directory or above it');
  for (const { path, text } of files) {
    if (!trust.add(path, text)) return complain("the decision can't be saved; is the state directory writable?");
    out(`${visible(path)} is trusted until it changes\n`);
  }
  return EXIT.ok;
}

/** Edits a copy in the user's editor; writes back only a valid configuration. */
async function edit({ file }: ConfigWish, out: Writer, complain: (line: string) => number): Promise<number> {
  const path = file ?? (process.env.AISH_CONFIG || placesOf(process.env).config);
  const before = textOf(path);
  let text =
    before ??
    `// Configuration of aish-tui. docs/config.md describes every key.\n{\n  "$schema": ${JSON.stringify(SCHEMA_FILE)}\n}`;
  const fresh = text;
  for (;;) {
    const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
    const edited = await editText(text.trimEnd(), { env, cwd: process.cwd(), name: 'config.jsonc' });
    if (!edited.ok) return complain(edited.problem);
    text = `${edited.text}\n`;
    const checked = await checkText(text, path);
    if (checked.ok) break;
    for (const line of checked.mistakes) out(`${visible(line)}\n`);
    if (!(await again())) return complain(`${path} is unchanged`);
  }
  if (text.trimEnd() === fresh.trimEnd()) {
    out(`${path} is unchanged\n`);
    return EXIT.ok;
  }
  const problem = writePrivate(path, text);
  if (problem !== undefined) return complain(problem);
  out(`${path} is written\n`);
  return EXIT.ok;
}

/** Without a terminal nobody can correct the mistake. */
async function again(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asking.question('edit it again? (no drops your changes) [Y/n] ').catch(() => 'n');
  asking.close();
  return !/^n/i.test(answer.trim());
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
