/** Names of files that hold keys, tokens and passwords, in whatever directory they lie. */
const NAMES = String.raw`\.netrc|_netrc|\.(bash|zsh|sh|python|node_repl|psql|mysql|sqlite)_history|\.pgpass|\.my\.cnf|\.npmrc|\.pypirc|\.git-credentials|\.vault-token|\.env(\.(local|production|development|staging|prod|dev))?|[\w-][\w.-]*\.env|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|[\w-][\w.-]*\.(p12|pfx|ppk|kdbx|jks|keystore)|(tls|server|client|private|priv|ssl|master|ca|host|deploy)[\w-]*\.key|master\.key|secrets?\.(ya?ml|json|toml)|credentials\.(json|ya?ml|toml)|service[-_]?account[\w.-]*\.json|terraform\.tfstate(\.backup)?|\.s3cfg|\.boto|\.databrickscfg|\.passwd-s3fs|Login Data|Cookies|cookies\.sqlite|key4\.db|logins\.json`;

/** Files that tools keep them in, by the end of the path. */
const PLACES = String.raw`\.ssh/(id_\w+|identity|[\w.-]+_key|[\w.-]+\.pem)|\.aws/(credentials|sso/.+)|\.kube/config|\.docker/config\.json|\.gnupg/.+|\.config/(gh/hosts\.yml|hub|glab-cli/config\.yml|gcloud/.+|rclone/.+|git/credentials|github-copilot/(apps|hosts)\.json|doctl/config\.yaml|hcloud/cli\.toml|op/.+|containers/auth\.json|composer/auth\.json|sops/age/keys\.txt|ngrok/ngrok\.yml|stripe/config\.toml|configstore/firebase-tools\.json|pulumi/credentials\.json)|\.azure/.+|\.terraform\.d/credentials\.tfrc\.json|\.cargo/credentials(\.toml)?|\.gem/credentials|\.claude/\.credentials\.json|\.codex/auth\.json|\.fly/config\.yml|\.m2/settings(-security)?\.xml|\.composer/auth\.json|\.pulumi/credentials\.json|\.oci/(config|.+\.pem)|\.kaggle/kaggle\.json|\.ngrok2/ngrok\.yml|\.mc/config\.json|(\.huggingface|\.cache/huggingface)/(token|stored_tokens)|\.(sbt|ivy2)/\.credentials|\.password-store/.+|run/secrets/.+|aish-tui/mcp-logins/.+|\.local/share/(keyrings/.+|opencode/auth\.json|com\.vercel\.cli/auth\.json)`;

/** Files of the system, by the whole path. */
const SYSTEM = String.raw`/etc/(shadow|gshadow|sudoers|krb5\.keytab|ipsec\.secrets|ssl/private/.+|ssh/ssh_host_\w+_key|wireguard/.+\.conf|NetworkManager/system-connections/.+|ppp/(chap|pap)-secrets|mysql/debian\.cnf)|/proc/(\d+|self|thread-self)/(task/\d+/)?environ`;

const STORES = new RegExp(`(^|/)(${NAMES}|${PLACES})$|^(${SYSTEM})$`);
/** What only shows how such a file looks. */
const SAMPLES = /\.pub$|(^|[./_-])(example|sample|template|dist)s?\.|\.(example|sample|template|dist)$/;

/** Does this path name a store of credentials? A public key is none. */
export function isCredential(path: string): boolean {
  return STORES.test(path) && !SAMPLES.test(path.slice(path.lastIndexOf('/') + 1));
}

/** Stores that nearly every machine has, for patterns that may name one. */
const USUAL = [
  '.env',
  '.netrc',
  '.npmrc',
  '.git-credentials',
  '.ssh/id_rsa',
  '.ssh/id_ed25519',
  '.aws/credentials',
  '.config/gh/hosts.yml',
  '.kube/config',
  '.docker/config.json',
  'proc/1/environ',
  'proc/self/environ',
  'proc/self/task/1/environ',
].map((path) => path.split('/'));

/** May a pattern of the shell name such a store? Its stars don't stand for a dot at the beginning of a name. */
export function mayNameCredential(pattern: string, matches: (pattern: string, name: string) => boolean): boolean {
  const parts = pattern.split('/');
  return USUAL.some((store) => {
    const end = parts.slice(-store.length);
    return (
      end.length === store.length &&
      end.every((part, at) => {
        const name = store[at] ?? '';
        return (!name.startsWith('.') || part.startsWith('.')) && matches(part, name);
      })
    );
  });
}

const SECRET_VARIABLE = /(^|_)(SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?)(_|$)/;

/** Does a variable, by its name, hold a key, a token or a password? */
export function isSecretVariable(name: string): boolean {
  return SECRET_VARIABLE.test(name);
}
