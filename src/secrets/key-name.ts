/** Judges a name for its value: `db_password`, `githubToken`, `AWS_SECRET_ACCESS_KEY`, `token_count`. */
import { KEY_WORDS, PASSWORD_WORDS, SECRET_WORDS, TOKEN_WORDS } from '../knowledge/secret-names.ts';
import { VENDORS } from './rules/table.ts';

/** `strong`: the value is a secret unless it looks harmless; `weak`: only if it looks like one. */
export type Grade = { readonly kind: string; readonly strength: 'strong' | 'weak' };

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const PASSWORD: ReadonlySet<string> = new Set(PASSWORD_WORDS);
const TOKEN: ReadonlySet<string> = new Set(TOKEN_WORDS);
const SECRET: ReadonlySet<string> = new Set(SECRET_WORDS);
const KEY: ReadonlySet<string> = new Set(KEY_WORDS);
/** Words that make a following `key` a secret. */
const KEY_BEFORE = set(
  'api access secret private encryption encrypt encrypted decryption decrypt signing sign signature auth authorization master account shared license app application consumer subscription storage service admin hmac session jwt deploy webhook aes crypto cipher write server integration functions function client sas security ingest ingestion recaptcha captcha send rsa ec ed25519 root cookie token oauth oauth2 x apim ocp vault backup wallet unseal recovery signer validator rest restapi hook stripe openai anthropic algolia search mailgun sendgrid twilio datadog dd newrelic azure gemini google groq mistral cohere',
);
/** Words after which a name describes a secret and is not the secret itself. */
const ABOUT = set(
  'id ids name names type types url uri urls path paths file files filename filepath dir directory length len count counts size limit limits max min policy policies expires expiry expiration expire ttl age lifetime field fields label hint format version ref refs arn endpoint host hostname port user username users prompt required enabled disabled valid invalid regex pattern placeholder error errors message msg text title description index idx position pos kind status state at date time timeout timestamp rotation rotate manager management provider providers store storage2 class location env variable var cmd command script reset change changed updated created method mode strength reuse history attempts budget usage used remaining cost price per rate limiter bucket tokenizer hashing algorithm alg algo curve iv fingerprint thumbprint checksum digest kid issuer audience scope scopes protected request response handler service2 helper utils util validator validation validate check checker generator factory parser store builder input inputs component view page screen form dialog modal icon button link list map set cache queue table column row schema model entity dto type2 exists present found missing source sources prefix suffix separator delimiter number num total ratio window distance latency bindings binding mount mounts commit sha sha1 sha256 sha512 md5 digest etag revision rev tag branch build image release hash action actions workflow repo repository org organization team project region channel volume group groups role roles template annotation annotations',
);
/** Words that make a following token or key harmless. */
const HARMLESS_BEFORE = set(
  'max min num prompt completion total next page continuation sync cancel cancellation lookup pad eos bos unk mask sep cls output start end stop special cached public pub primary foreign cache sort partition object row map hot short host idempotency no is has use show forgot reset enter invalid wrong missing count counter nextpage pagination cursor design css syntax lexer skip resume delta change antiforgery shortcut keyboard publishable lock',
);
/** Words that don't change a name's meaning. */
const NEUTRAL = set(
  'base value val prod production dev development staging stage stg test testing live primary secondary current new old raw string str plain plaintext hex b64 base64 encoded default confirmation confirm confirmed again repeat local root admin data v1 v2 v3 here is was override seed salt1 pem',
);

const VENDOR_NAMES: ReadonlySet<string> = new Set(VENDORS);

/** A cache, because the same names recur. */
const known = new Map<string, Grade | undefined>();
const MAX_KNOWN = 1000;

/** The maximum length of a name. */
const MAX_NAME_CHARS = 100;

/** @param name an identifier with any of `_ - .` and capitals between its words */
export function gradeOf(name: string): Grade | undefined {
  if (known.has(name)) return known.get(name);
  const grade = readGrade(name);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(name, grade);
  return grade;
}

function readGrade(name: string): Grade | undefined {
  const words = wordsOf(name.slice(-MAX_NAME_CHARS));
  const wordAt = (at: number) => words.at(at) ?? '';
  while (words.length > 1 && (NEUTRAL.has(wordAt(-1)) || /^\d+$/.test(wordAt(-1)))) words.pop();
  const [last, before] = [wordAt(-1), wordAt(-2)];
  const own = familyOf(last, before, words);
  if (own) return HARMLESS_BEFORE.has(before) && own.kind !== 'PASSWORD' ? undefined : own;
  if (last === 'id' && before === 'secret') return { kind: 'SECRET', strength: 'weak' };
  if (ABOUT.has(last)) return undefined;
  if (words.some((word) => VENDOR_NAMES.has(word)) && !words.some((word) => ABOUT.has(word)))
    return { kind: 'API_KEY', strength: 'weak' };
  return gradeWithin(words);
}

/** PASSWORD_DB, API_KEY_OPENAI: the name continues with its purpose. */
function gradeWithin(words: readonly string[]): Grade | undefined {
  for (let at = words.length - 2; at >= Math.max(0, words.length - 4); at -= 1) {
    const before = words[at - 1] ?? '';
    if (words.slice(at + 1).some((word) => ABOUT.has(word)) || HARMLESS_BEFORE.has(before)) return undefined;
    const family = familyOf(words[at] ?? '', before, words.slice(0, at + 1));
    if (family) return { kind: family.kind, strength: 'weak' };
  }
  return undefined;
}

function familyOf(last: string, before: string, words: readonly string[]): Grade | undefined {
  return FAMILIES.find(([ends]) => ends(last, before))?.[1](last, before, words);
}

type Family = readonly [
  ends: (last: string, before: string) => boolean,
  grade: (last: string, before: string, words: readonly string[]) => Grade | undefined,
];

/** Kinds of names by their endings; the first match wins. */
const FAMILIES: readonly Family[] = [
  [
    (last, before) =>
      PASSWORD.has(last) ||
      (last === 'phrase' && /^(?:seed|recovery|secret|pass|backup)$/.test(before)) ||
      /(?:password|passwd|passphrase)$/.test(last),
    () => ({ kind: 'PASSWORD', strength: 'strong' }),
  ],
  [
    (last) =>
      /^(?:db|my|root|user|admin|ftp|smtp|ssh|mail|http|redis|imap|ldap|vpn|wifi|key|store|keystore|trust)?pass$/.test(
        last,
      ),
    (_, __, words) => ({ kind: 'PASSWORD', strength: words.length > 1 ? 'strong' : 'weak' }),
  ],
  [(last) => SECRET.has(last) || /[a-z]secret$/.test(last), () => ({ kind: 'SECRET', strength: 'strong' })],
  [
    (last) => TOKEN.has(last) || /[a-z]token$/.test(last),
    (last) => ({ kind: 'TOKEN', strength: last === 'pat' ? 'weak' : 'strong' }),
  ],
  [
    (last) => KEY.has(last) || /(?:api|secret|access|private)key$/.test(last),
    () => ({ kind: 'API_KEY', strength: 'strong' }),
  ],
  [
    (last) => last === 'key' || last === 'keys',
    (_, before, words) => {
      if (KEY_BEFORE.has(before)) return { kind: 'API_KEY', strength: 'strong' };
      return words.length > 1 && !HARMLESS_BEFORE.has(before) ? { kind: 'API_KEY', strength: 'weak' } : undefined;
    },
  ],
  [(last) => /^(?:auth|credentials?|creds?)$/.test(last), () => ({ kind: 'CREDENTIAL', strength: 'weak' })],
  [
    (last) => /^(?:sessionid|phpsessid|jsessionid|sid|sessid|session)$/.test(last),
    () => ({ kind: 'SESSION', strength: 'weak' }),
  ],
  [(last) => last === 'sig' || last === 'signature', () => ({ kind: 'SIGNATURE', strength: 'weak' })],
];

function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase());
}
