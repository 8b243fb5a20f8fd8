/** Resolves `@` words: files, directories, images, the last output, the user's selection (IN-8). */
import { randomBytes } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { extname, isAbsolute, join } from 'node:path';
import { estimateTokens } from '../../broker/index.ts';
import type { App } from '../../commands/app.ts';
import { lastOutput } from '../../commands/last.ts';
import type { AttachmentsPort, AtWord, Completion } from '../../contracts/lines.ts';

import { findFiles } from '../../executor/index.ts';
import { isCredential } from '../../knowledge/credential-files.ts';
import { type Attachment, IMAGE_TOKENS } from '../../session/message.ts';
import { hostOf } from '../../session/place.ts';
import { plainText } from '../../text/sanitize.ts';
import {
  copyImage,
  isImageName,
  quotedName,
  type Read,
  readDirectory,
  readImage,
  readText,
  type Word,
  withoutMarks,
  wordsOf,
} from './read.ts';

const MAX_WORDS = 20;

/** @param keep the folder for images */
export function attachmentsOf(app: App, keep: string): Omit<AttachmentsPort, 'pasted'> {
  const find = async (question: string): Promise<readonly AtWord[]> => {
    const words = wordsOf(question);
    const found = await Promise.all(words.slice(0, MAX_WORDS).map((word) => resolveWord(app, word)));
    const said = found.flatMap((each) => each ?? []);
    if (words.length <= MAX_WORDS) return said;
    return [...said, { word: '@', problem: `at most ${MAX_WORDS} attachments per message` }];
  };
  return {
    find,
    async take(question) {
      const found = await find(question);
      return Promise.all(found.map(async (each) => copyToSession(each, keep)));
    },
    async complete(start) {
      const own: readonly Completion[] = [
        { text: 'last', note: 'the output of the last command' },
        { text: 'selection', note: 'the last selected or copied text' },
      ];
      const files = await findFiles({ path: start.replace(/\\(.)/g, '$1'), cwd: app.engine.shellCwd });
      return [
        ...own.filter(({ text }) => text.startsWith(start)),
        ...files.map(({ path, name, directory }) => ({
          text: quotedName(path),
          label: name,
          ...(directory ? { open: true } : {}),
        })),
      ];
    },
  };
}

/** Undefined if the word names nothing and is ordinary text. */
async function resolveWord(app: App, { word, name }: Word): Promise<AtWord | undefined> {
  const own = withoutMarks(name);
  if (own === 'last') return { word, ...(await ofOutput(app)) };
  if (own === 'selection') return { word, ...ofSelection(app) };
  const host = hostOf(app.engine.shellCwd);
  if (host !== undefined)
    return /[/.]/.test(own) ? { word, problem: `${own} can't be attached: your shell is on ${host}` } : undefined;
  const here = await resolvePath(app, name);
  const found = here ?? (own === '' || own === name ? undefined : await resolvePath(app, own));
  if (!found) return /[/.]/.test(own) ? { word, missing: true } : undefined;
  const { path, called, directory } = found;
  if (directory) return { word, ...sized(await readDirectory(called, path)) };
  if (isImageName(path)) return { word, ...ofImage(app, await readImage(called, path)) };
  const doubt = isCredential(path) ? { doubt: `${called} may hold keys or passwords` } : {};
  return { word, ...sized(await readText(called, path)), ...doubt };
}

/** Use the real path, so that a symlink counts as its target. */
async function resolvePath(app: App, name: string) {
  const expanded = name.replace(/^~(?=\/|$)/, homedir());
  const whole = isAbsolute(expanded) ? expanded : join(app.engine.shellCwd, expanded);
  const path = await realpath(whole).catch(() => undefined);
  const facts = path === undefined ? undefined : await stat(path).catch(() => undefined);
  if (path === undefined || !facts) return undefined;
  const directory = facts.isDirectory();
  return { path, directory, called: directory && !name.endsWith('/') ? `${name}/` : name };
}

function sized(read: Read<Attachment>): Omit<AtWord, 'word'> {
  if (!read.ok) return { problem: read.problem };
  const { attached } = read;
  if (attached.kind === 'image') return { attachment: attached, bytes: attached.bytes, tokens: IMAGE_TOKENS };
  const bytes = Buffer.byteLength(attached.text);
  return { attachment: attached, bytes, tokens: estimateTokens(attached.text) };
}

async function ofOutput(app: App): Promise<Omit<AtWord, 'word'>> {
  const output = lastOutput(app);
  if (!output) return { problem: '@last: no command has ended yet' };
  if (output.private) return { problem: '@last: that output is private (!!)' };
  if (output.text.trim() === '') return { problem: '@last: that command printed nothing' };
  const name = `output of ${output.command}`;
  // If an output is too large for an attachment, its stored beginning and end are used.
  const whole = output.file === undefined ? undefined : await readText(name, output.file);
  const text = whole?.ok ? plainText(whole.attached.text) : output.text;
  return sized({ ok: true, attached: { kind: 'text', name, text } });
}

function ofSelection(app: App): Omit<AtWord, 'word'> {
  const text = app.screen?.selected() ?? '';
  if (text === '') return { problem: '@selection: nothing was selected or copied yet' };
  return sized({ ok: true, attached: { kind: 'text', name: 'selection', text } });
}

/** Refuses an image with a reason if the active model can't see images. */
function ofImage(app: App, read: Read<Attachment>): Omit<AtWord, 'word'> {
  const { preset } = app.engine.conversation;
  const known = app.presets.list().find(({ name }) => name === preset)?.images;
  if (known === false) return { problem: `${preset} takes no images: choose a model that does (:model)` };
  return sized(read);
}

/** Copies the image into the session's folder, since the original may change later. */
async function copyToSession(found: AtWord, folder: string): Promise<AtWord> {
  const { attachment } = found;
  if (attachment?.kind !== 'image') return found;
  const file = join(folder, `image-${randomBytes(6).toString('hex')}${extname(attachment.file).toLowerCase()}`);
  const copied = await copyImage(attachment.file, file, attachment.bytes).catch(() => false);
  if (copied) return { ...found, attachment: { ...attachment, file } };
  return { word: found.word, problem: `${attachment.name} can't be attached: it changed, or can't be copied` };
}
