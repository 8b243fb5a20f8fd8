/** Names of secrets: words of which the names of variables, settings and options are made. */

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

/** In the environment only: `pwd` there is the working directory. */
const IN_ENVIRONMENT = words('pgpassword mysqlpwd credential credentials cookie authconfig connectionstring');
/** May say that a value is not for everybody. */
const PERHAPS = words(
  'auth authorization cookies creds cred dsn key keys pass pgpassfile private pwdhash secrets sessionid signature signing tokens webhook webhookurl',
);

const WIDE: ReadonlySet<string> = new Set(
  [...PASSWORD_WORDS, ...TOKEN_WORDS, ...SECRET_WORDS, ...KEY_WORDS, ...IN_ENVIRONMENT, ...PERHAPS].filter(
    (word) => word !== 'pwd',
  ),
);
/** Grown together with other words: `GITHUBTOKEN`. */
const PART = /passw(?:or)?d|passphrase|secret|token|apikey|credential/i;
/** Looks secret by name but is not, and is missed. */
const HARMLESS: ReadonlySet<string> = new Set(['XDG_SESSION_ID', 'KEYTIMEOUT', 'TERM_SESSION_ID']);

/** Whether one word of the name, or two that follow each other (`API_KEY`), is one of `WIDE`. */
function hasWord(name: string): boolean {
  const parts = name.toLowerCase().split('_');
  return parts.some((part, at) => WIDE.has(part) || WIDE.has(part + (parts[at + 1] ?? '')));
}

/** Whether a variable may hold one. Errs on the side of yes. */
export const mayBeSecretVariable = (name: string): boolean => !HARMLESS.has(name) && (hasWord(name) || PART.test(name));
