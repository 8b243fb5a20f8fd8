// THIRD-PARTY-NOTICES: the packages whose code is in the bundle, with their licences, told from the bundle itself.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Licences under which code may be in what we ship (MIT). Another one is an error of the build. */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT']);

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** The folders of the packages that a bundle's inputs come from, each once. */
export function packagesOf(inputs) {
  return [...new Set(inputs.flatMap((input) => PACKAGE.exec(input)?.[0] ?? []))].toSorted((one, other) =>
    one < other ? -1 : 1,
  );
}

/** Whether an SPDX expression (`MIT`, `(MIT OR GPL-3.0)`) leaves us a licence on the list; what is not known is no. */
function allowed(expression) {
  if (typeof expression !== 'string') return false;
  const plain = expression.replace(/^\((.*)\)$/, '$1');
  if (plain.includes(' OR ')) return plain.split(' OR ').some(allowed);
  return plain.split(' AND ').every((licence) => ALLOWED.has(licence));
}

/** The text of THIRD-PARTY-NOTICES for the packages in `folders` (below `root`); throws where a licence is not allowed. */
export async function notices(root, folders) {
  const parts = await Promise.all(folders.map((folder) => notice(join(root, folder))));
  const refused = parts.filter(({ licence }) => !allowed(licence));
  if (refused.length > 0) {
    const list = refused.map(({ title, licence }) => `${title} (${licence ?? 'none named'})`).join(', ');
    throw new Error(`licences that are not on the list in release/notices.mjs: ${list}`);
  }
  const head = 'aish-tui contains code of these packages, each under its own licence.\n';
  return [head, ...parts.map(({ title, licence, text }) => `${'-'.repeat(78)}\n${title}: ${licence}\n\n${text}`)].join(
    '\n',
  );
}

async function notice(folder) {
  const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => LICENCE_FILE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const by = typeof author === 'string' ? author : author?.name;
  const text =
    texts.length > 0 ? texts.map((part) => part.trim()).join('\n\n') : `(no licence file${by ? `; by ${by}` : ''})`;
  return { title: `${name} ${version}`, licence: license, text: `${text}\n` };
}
