/** The records of a store on a host, as pieces of code for its `sh` and what they answer. A host says what it likes: all is bounded data. */
import { randomBytes } from 'node:crypto';
import { shellQuote } from '../../text/shell-quote.ts';
import { MAX_DIFF_FILE_BYTES } from './preview.ts';
import { ACTION, type Opening, type Place, type Recorded, readNotes, recordFrom } from './record.ts';

/** Runs code there; undefined where there is no whole answer. Never rejects. */
export type AskFar = (code: string) => Promise<{ readonly exit: number; readonly text: string } | undefined>;

/** Actions that are looked at, the newest. */
const MAX_ACTIONS = 200;
const MAX_NOTES_BYTES = 4000;
/** What a command is told by in a list. */
const MAX_TEXT_CHARS = 2000;

/**
 * Makes the directory of a new action under the next free number; private. Undefined where it can't.
 * @param first code that is run before it is told what it is; its directory is `$n`
 */
export async function openFar(
  ask: AskFar,
  store: string,
  opening: Opening,
  file = ACTION,
  first = ':',
): Promise<Place | undefined> {
  const answer = await ask(`(umask 077; mkdir -p ${shellQuote(store)} && cd ${shellQuote(store)} || exit 1
n=$(ls | grep -x '[0-9][0-9]*' | sort -n | tail -n 1); n=$((\${n:-0}+1)); t=0
until mkdir "$n"; do n=$((n+1)); t=$((t+1)); [ $t -lt 100 ] || exit 1; done
${first}; printf %s ${shellQuote(openingText(opening))} >"$n/${file}" && echo "$n")`);
  const number = Number(answer?.exit === 0 ? answer.text.trim() : Number.NaN);
  return Number.isInteger(number) && number > 0 && number < 1e9
    ? { number, directory: `${store}/${number}` }
    : undefined;
}

/** Beside an action or a trial: the process there that lives as long as the connection of whoever began it. */
const HOLDER = 'holder';
/** Code for `openFar`. */
export const HOLDS = `echo "$PPID" >"$n/${HOLDER}"`;
/** Code for a condition: whoever began `$n` is gone. */
export const HOLDER_IS_GONE = `case $(cat "$n/${HOLDER}") in ''|*[!0-9]*) true ;; *) [ ! -d "/proc/$(cat "$n/${HOLDER}")" ] ;; esac`;

/** An opening as it stands there. */
export function openingText(opening: Opening): string {
  return JSON.stringify({ ...opening, text: opening.text.slice(0, MAX_TEXT_CHARS) });
}

/** All of them, ascending, or the one of this number; undefined where the host does not answer. */
export async function farRecords(
  ask: AskFar,
  store: string,
  running: ReadonlySet<number>,
  only?: number,
): Promise<readonly Recorded[] | undefined> {
  // Chosen after all that lies there was named: nothing in a record can end it.
  const mark = randomBytes(16).toString('hex');
  const which = only === undefined ? `$(ls | grep -x '[0-9][0-9]*' | sort -n | tail -n ${MAX_ACTIONS})` : String(only);
  const fields = [
    `cat $n/${ACTION}`,
    'cat $n/summary || echo NONE',
    'ls $n/undone',
    `head -c ${MAX_NOTES_BYTES} $n/notes`,
  ];
  const each = fields.map((field) => `${field}; printf %s ${mark}`).join('; ');
  const answer = await ask(
    `(cd ${shellQuote(store)} || exit 0; for n in ${which}; do printf %s "$n"${mark}; ${each}; done)`,
  );
  if (!answer) return undefined;
  const parts = answer.text.split(mark);
  const found: Recorded[] = [];
  for (let at = 0; at + 4 < parts.length; at += 5) {
    const [number = '', opening, summary = '', undone, notes = ''] = parts.slice(at, at + 5);
    const place = { number: Number(number), directory: `${store}/${number}` };
    if (!/^\d{1,9}$/.test(number)) continue;
    const told = {
      opening,
      summary: summary.trim() === 'NONE' ? undefined : summary,
      undone: undone !== '',
      notes: readNotes(notes),
    };
    const record = recordFrom(place, told, running);
    if (record) found.push(record);
  }
  return found;
}

/** Code that removes a directory of the store, also where it took away its owner's rights. */
export function removeFar(directory: string): string {
  const quoted = shellQuote(directory);
  return `rm -rf ${quoted} || { find ${quoted} -xdev -type d -exec chmod u+rwx {} \\;; rm -rf ${quoted}; }`;
}

/** Code that writes a small file in one step. */
export function writeFar(path: string, text: string): string {
  const [fresh, quoted] = [shellQuote(`${path}.new`), shellQuote(path)];
  return `(umask 077; printf %s ${shellQuote(text)} >${fresh} && mv -f ${fresh} ${quoted})`;
}

/** A text file of moderate size there; undefined for anything else. Never rejects. */
export async function readFarText(ask: AskFar, path: string): Promise<string | undefined> {
  const file = shellQuote(path);
  const answer = await ask(
    `[ -f ${file} ] && [ ! -h ${file} ] && [ "$(wc -c <${file})" -le ${MAX_DIFF_FILE_BYTES} ] && cat ${file}`,
  );
  const text = answer?.exit === 0 && answer.text.length <= MAX_DIFF_FILE_BYTES ? answer.text : undefined;
  return text === undefined || /[\0\ufffd]/.test(text) ? undefined : text;
}
