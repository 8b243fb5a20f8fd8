/** Names of secrets: the words in names of variables, settings and options. */

const words = (list: string): readonly string[] => list.split(' ');

export const PASSWORD_WORDS = words(
  'password passwd passwort pwd mnemonic passphrase passcode passw pw psw pswd requirepass masterauth psk wpapsk',
);
export const TOKEN_WORDS = words(
  'token jwt bearer pat authtoken accesstoken refreshtoken apitoken bottoken sessiontoken idtoken otptoken',
);
export const SECRET_WORDS = words('secret clientsecret appsecret secretkey sharedsecret');
export const KEY_WORDS = words(
  'apikey accesskey privatekey authkey appkey accountkey sharedkey encryptionkey signingkey secretkey masterkey servicekey licensekey sessionkey storagekey adminkey writekey sharedaccesskey primarykey2',
);

/** These words count only in environment variables, of which `pwd` is the working directory. */
const IN_ENVIRONMENT = words('pgpassword mysqlpwd credential credentials cookie authconfig connectionstring');
/** Words that may mark a private value. */
const PERHAPS = words(
  'auth authorization cookies creds cred dsn key keys pass pgpassfile private pwdhash secrets sessionid signature signing tokens webhook webhookurl',
);

const WIDE: ReadonlySet<string> = new Set(
  [...PASSWORD_WORDS, ...TOKEN_WORDS, ...SECRET_WORDS, ...KEY_WORDS, ...IN_ENVIRONMENT, ...PERHAPS].filter(
    (word) => word !== 'pwd',
  ),
);
/** Words inside a longer word: `GITHUBTOKEN`. */
const PART = /passw(?:or)?d|passphrase|secret|token|apikey|credential/i;
/** Variables whose names look secret but whose values are not, and which programs need. */
const HARMLESS: ReadonlySet<string> = new Set(['XDG_SESSION_ID', 'KEYTIMEOUT', 'TERM_SESSION_ID']);

/** Returns whether a word of the name, or two adjacent ones (`API_KEY`), is one of `WIDE`. */
function hasWord(name: string): boolean {
  const parts = name.toLowerCase().split('_');
  return parts.some((part, at) => WIDE.has(part) || WIDE.has(part + (parts[at + 1] ?? '')));
}

/** Returns whether a variable may hold a secret. Errs on the side of yes. */
export const mayBeSecretVariable = (name: string): boolean => !HARMLESS.has(name) && (hasWord(name) || PART.test(name));
