/** Finds the secrets in a text: one pass finds anchors, and only the text around them is read. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EndLines, encodedKeyAt, jwtAt, keyBlockAt, keyTailAt, puttyAt } from './blocks.ts';
import { callAt, cryptedAt, identifiedAt, pgpassAt, pipedAt } from './command-line.ts';
import { nameAround, namedValue } from './context.ts';
import { type Finding, settle } from './finding.ts';
import { authorizationAt, basicAt, bearerAt, cookiesAt, signatureAt } from './headers.ts';
import { PROGRAMS } from './rules/programs.ts';
import { TOKEN_RULES, VENDORS } from './rules/table.ts';
import { Scanner } from './scanner.ts';
import { tokenReader } from './tokens.ts';
import { addressAt, oracleAt } from './urls.ts';

/** State kept over one text so that nothing is read twice. */
type Pass = {
  readonly text: string;
  readonly found: Finding[];
  readonly ends: EndLines;
  /** Where the last name and the last call that were read end. */
  nameEnd: number;
  callEnd: number;
  blockEnd: number;
};

type Matcher = (pass: Pass, at: number) => void;

/** Characters that are looked through in one turn of the event loop: about a millisecond, the first time. */
const TURN_CHARS = 32 * 1024;

/** Words that occur in names of secrets. */
const NAME_WORDS =
  'password passwd passwort phrase mnemonic passcode pass pwd psw pw_ _pw psk secret token apikey api_key api-key key auth credential creds bearer jwt _pat cookie session sid sig';

const one =
  (read: (text: string, at: number) => Finding | undefined): Matcher =>
  (pass, at) => {
    const found = read(pass.text, at);
    if (found) pass.found.push(found);
  };

/** A long finding: whatever begins inside it belongs to it. */
const block =
  (read: (text: string, at: number, ends: EndLines) => Finding | undefined): Matcher =>
  (pass, at) => {
    const found = at < pass.blockEnd ? undefined : read(pass.text, at, pass.ends);
    if (!found) return;
    pass.found.push(found);
    pass.blockEnd = found.end;
  };

const name =
  (length: number): Matcher =>
  (pass, at) => {
    if (at < pass.nameEnd) return;
    const named = nameAround(pass.text, at, length);
    pass.nameEnd = named.to;
    const found = namedValue(pass.text, named);
    if (found) pass.found.push(found);
  };

const call =
  (program: string): Matcher =>
  (pass, at) => {
    if (at < pass.callEnd) return;
    const { found, end } = callAt(pass.text, at, program);
    pass.found.push(...found);
    pass.callEnd = Math.max(pass.callEnd, end);
  };

let scanner: Scanner<Matcher> | undefined;

/** Built at first use, to keep it out of the start-up time. */
function ready(): Scanner<Matcher> {
  if (scanner) return scanner;
  const made = new Scanner<Matcher>();
  for (const rule of TOKEN_RULES) {
    for (const start of rule.starts.split(' ')) made.add(start, one(tokenReader(rule, start)), true);
  }
  for (const word of NAME_WORDS.split(' ')) made.add(word, name(word.length), false);
  for (const program of Object.keys(PROGRAMS)) made.add(program.padEnd(3), call(program), true);
  for (const vendor of VENDORS) made.add(vendor, name(vendor.length), false);
  for (const [start, look] of SHAPES) made.add(start, look, false);
  made.add('eyJ', block(jwtAt), true);
  scanner = made;
  return made;
}

const SHAPES: readonly (readonly [string, Matcher])[] = [
  ['-----begin ', block(keyBlockAt)],
  ['-----end ', block(keyTailAt)],
  ['ls0tls1crudjti', block(encodedKeyAt)],
  ['private-lines: ', block(puttyAt)],
  ['://', one((text, at) => addressAt(text, at + 3))],
  [':\\/\\/', one((text, at) => addressAt(text, at + 5))],
  ['thin:', one(oracleAt)],
  ['bearer ', one(bearerAt)],
  ['basic ', one(basicAt)],
  ['authorization', one(authorizationAt)],
  ['signature=', one(signatureAt)],
  ['cookie', (pass, at) => pass.found.push(...cookiesAt(pass.text, at))],
  ['echo ', one(pipedAt)],
  ['printf ', one(pipedAt)],
  [':5432:', one(pgpassAt)],
  [':5433:', one(pgpassAt)],
  [':6432:', one(pgpassAt)],
  [':*:', one(pgpassAt)],
  ['identified ', one(identifiedAt)],
  ['$2a$', one(cryptedAt)],
  ['$2b$', one(cryptedAt)],
  ['$2y$', one(cryptedAt)],
  ['$5$', one(cryptedAt)],
  ['$apr1$', one(cryptedAt)],
  ['{ssha', one(cryptedAt)],
  ['{sha}', one(cryptedAt)],
  ['$6$', one(cryptedAt)],
  ['$y$', one(cryptedAt)],
  ['$argon2', one(cryptedAt)],
];

function passOver(text: string): Pass {
  return { text, found: [], ends: new EndLines(), nameEnd: 0, callEnd: 0, blockEnd: 0 };
}

/** The secrets that the rules find in a text, in order and without overlap. Linear in the length of any text. */
export function detect(text: string): readonly Finding[] {
  const pass = passOver(text);
  ready().scan(text, (at, look) => look(pass, at));
  return settle(pass.found, text);
}

/** The same, a piece a turn of the event loop. */
export async function detectInTurns(text: string): Promise<readonly Finding[]> {
  const pass = passOver(text);
  for (let from = 0; from < text.length; from += TURN_CHARS) {
    await nextTurn();
    ready().scan(text, (at, look) => look(pass, at), from, Math.min(from + TURN_CHARS, text.length));
  }
  return settle(pass.found, text);
}
