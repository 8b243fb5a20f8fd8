/** Names of files that hold keys, tokens and passwords, in whatever directory they lie. */
const NAMES = String.raw`\.netrc|_netrc|\.(bash|zsh|sh|python|node_repl|psql|mysql|sqlite)_history|\.pgpass|\.my\.cnf|\.npmrc|\.pypirc|\.git-credentials|\.vault-token|\.env(\.(local|production|development|staging|prod|dev))?|[\w-][\w.-]*\.env|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|[\w-][\w.-]*\.(p12|pfx|ppk|kdbx|jks|keystore)|(tls|server|client|private|priv|ssl|master|ca|host|deploy)[\w-]*\.key|master\.key|(priv|privkey|private)[\w-]*\.pem|(?!pub)[\w-]*(?<!pub|public|[_-]pub)[_-]?key\.pem|secrets?\.(ya?ml|json|toml)|credentials\.(json|ya?ml|toml)|service[-_]?account[\w.-]*\.json|[\w-][\w.-]*\.tfstate(\.backup)?|local\.settings\.json|keystore\.properties|\.wakatime\.cfg|token\.json|\.s3cfg|\.boto|\.databrickscfg|\.passwd-s3fs|Login Data|Cookies|cookies\.sqlite|key4\.db|logins\.json|[\w-][\w.-]*\.tfvars(\.json)?|\.terraformrc|kubeconfig|\.envrc|\.flaskenv|\.dev\.vars|env\.(local|production|staging|prod)|\.secrets|\.htpasswd|(passwords?|passwd)\.(txt|csv|json|ya?ml)|\.?vault[_-]?pass(word)?(\.txt)?|(deploy|ssh|private)_key|[\w-]*service(Account|[-_]?account)[\w.-]*\.json|[\w-]+[-_]key\.json|client_secrets?[\w.-]*\.json|[\w-]*firebase-adminsdk[\w.-]*\.json|wp-config\.php|auth\.json|oauth_creds\.json|[\w-][\w.-]*\.ovpn|\.dockercfg|\.mylogin\.cnf|\.erlang\.cookie|\.(msmtp|mbsync|fetchmail|sentrycli|offlineimap)rc|\.authinfo(\.gpg)?|\.Xauthority|\.smbcredentials|\.clasprc\.json|krb5cc_\w+|wallet\.dat|login\.keychain(-db)?`;

/** Files that tools keep them in, by the end of the path. */
const PLACES = String.raw`\.ssh/(id_\w+|identity|[\w.-]+_key|[\w.-]+\.pem)|\.aws/(credentials|sso/.+)|\.kube/config|\.docker/config\.json|\.gnupg/.+|\.config/(gh/hosts\.yml|hub|glab-cli/config\.yml|gcloud/.+|rclone/.+|git/credentials|github-copilot/(apps|hosts)\.json|doctl/config\.yaml|hcloud/cli\.toml|op/.+|containers/auth\.json|composer/auth\.json|sops/age/keys\.txt|ngrok/ngrok\.yml|stripe/config\.toml|configstore/firebase-tools\.json|pulumi/credentials\.json)|\.azure/.+|\.terraform\.d/credentials\.tfrc\.json|\.cargo/credentials(\.toml)?|\.gem/credentials|\.claude/\.credentials\.json|\.codex/auth\.json|\.fly/config\.yml|\.m2/settings(-security)?\.xml|\.composer/auth\.json|\.pulumi/credentials\.json|\.oci/(config|.+\.pem)|\.kaggle/kaggle\.json|\.ngrok2/ngrok\.yml|\.railway/config\.json|\.dbt/profiles\.yml|\.bluemix/config\.json|\.hex/hex\.config|\.mc/config\.json|\.cursor/mcp\.json|(\.huggingface|\.cache/huggingface)/(token|stored_tokens)|\.(sbt|ivy2)/\.credentials|\.password-store/.+|run/secrets/.+|aish-tui/mcp-logins/.+|\.local/share/(keyrings/.+|opencode/auth\.json|com\.vercel\.cli/auth\.json)|\.config/(filezilla/(sitemanager|recentservers)\.xml|netlify/config\.json|pypoetry/auth\.toml|linode-cli|tea/config\.yml|remmina/.+|solana/id\.json|openai/.+|msmtp/config)|\.(snowflake/config\.toml|snowsql/config|aliyun/config\.json|tencentcloud/.*credential|cloudflared/.+\.(pem|json)|wrangler/config/.+|twilio-cli/config\.json|subversion/auth/.+|gradle/gradle\.properties|davfs2/secrets|nuget/NuGet/NuGet\.Config|bundle/config|travis/config\.yml|circleci/cli\.yml|influxdbv2/configs|weechat/sec\.conf|purple/accounts\.xml|aider\.conf\.yml|bitcoin/wallets?/.+|ethereum/keystore/.+|electrum/wallets/.+)|Library/Keychains/.+`;

/** Files of the system, by the whole path. */
const SYSTEM = String.raw`/etc/(shadow|gshadow|sudoers|krb5\.keytab|ipsec\.secrets|ssl/private/.+|ssh/ssh_host_\w+_key|wireguard/.+\.conf|NetworkManager/system-connections/.+|ppp/(chap|pap)-secrets|mysql/debian\.cnf|kubernetes/.+\.conf|rancher/(k3s|rke2)/.+\.yaml|postfix/sasl_passwd|wpa_supplicant/.+\.conf|cifs-credentials|openvpn/.+\.(key|ovpn|txt))|/proc/[^/]+/(task/[^/]+/)?environ`;

const NAMED = new RegExp(`^(${NAMES})$`);
const PLACED = new RegExp(`(^|/)(${PLACES})$|^(${SYSTEM})$`);
/** What only shows how such a file looks. */
const SAMPLES = /\.pub$|(^|[./_-])(example|sample|template|dist)s?\.|\.(example|sample|template|dist)$/;

/** Words that were looked at: each of a command is asked about by several judges. */
const ASKED = new Map<string, boolean>();
const MAX_ASKED = 5000;

/** The system takes no longer path (PATH_MAX), and no file system a longer name. */
const MAX_PATH_CHARS = 4096;
const MAX_NAME_CHARS = 1024;

/** Does this path name a store of credentials? A public key is none. */
export function isCredential(path: string): boolean {
  if (path.length > MAX_PATH_CHARS || path.length - path.lastIndexOf('/') > MAX_NAME_CHARS) return false;
  const known = ASKED.get(path);
  if (known !== undefined) return known;
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Those told by their place are told by two names at least.
  const isStore = NAMED.test(name) || (name !== path && PLACED.test(path));
  const found = isStore && !SAMPLES.test(name);
  if (ASKED.size < MAX_ASKED && path.length < 100) ASKED.set(path, found);
  return found;
}

/** Directories whose files are keys, or hold some, and homes, which have them. */
const FOLDERS =
  /(^|\/)(\.(ssh|aws|gnupg|kube|docker|azure|password-store|gem|oci|kaggle|mozilla|thunderbird)|\.config(\/(gh|hub|glab-cli|gcloud|rclone|git|github-copilot|doctl|hcloud|op|containers|sops|stripe))?|\.local\/share\/keyrings)(\/|$)|^(\/|\/root|\/home(\/[^/]+)?|\/Users(\/[^/]+)?|\/proc|\/etc\/ssl\/private)\/*$/;

/** Is a directory one whose files, read without a choice of names, are stores of credentials? */
export function isCredentialPlace(path: string): boolean {
  return (
    FOLDERS.test(path) &&
    !/\/\.config\/(?!gh|hub|glab|gcloud|rclone|git|doctl|hcloud|op\b|containers|sops|stripe)[^/]/.test(path)
  );
}

/** Stores that nearly every machine has, for patterns that may name one. */
const USUAL = [
  '.env',
  '.netrc',
  '.npmrc',
  '.git-credentials',
  'id_rsa',
  'id_ed25519',
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

/** Names by which keys and passwords go anywhere, and names of all else. */
const KEYS =
  'server.key private.key tls.key master.key privkey.pem server-key.pem id_rsa id_ed25519 cert.p12 cert.pfx putty.ppk pass.kdbx app.jks release.keystore prod.env secrets.yaml credentials.json'.split(
    ' ',
  );
const ALL_ELSE =
  'README.md main.c index.ts server.js test.py setup.py app.log data.json package.json config.yaml values.yml notes.txt style.css index.html a.sh src Makefile s p c t'.split(
    ' ',
  );

/** Is what lets these names pass aimed at keys: lets it some of theirs pass, and none of what else lies about? */
export function aimsAtKeys(passes: (name: string) => boolean): boolean {
  return KEYS.some(passes) && !ALL_ELSE.some(passes);
}

/**
 * May a pattern of the shell name such a store? Its stars don't stand for a dot at the beginning of a name unless
 * `hidden` says so. `read`: a pattern as an expression.
 */
export function mayNameCredential(pattern: string, read: (pattern: string) => RegExp, hidden = false): boolean {
  // The longest store has five parts.
  const parts = pattern.split('/').slice(-5);
  if (!mayEndAsStore(parts.at(-1) ?? '')) return false;
  const expressions = parts.map(read);
  if (aimsAtKeys((name) => expressions.at(-1)?.test(name) === true)) return true;
  return USUAL.some((store) => {
    const skipped = parts.length - store.length;
    return (
      skipped >= 0 &&
      store.every((name, at) => {
        const part = parts[skipped + at] ?? '';
        // A name that says what it is stands for itself; in any directory `*` would be one.
        const starts = !hidden && (name.startsWith('.') || store.length === 1);
        return (!starts || part.startsWith(name.charAt(0))) && expressions[skipped + at]?.test(name) === true;
      })
    );
  });
}

/** The last names of all stores that a pattern is tried on. */
const LAST_NAMES = [...new Set([...KEYS, ...USUAL.map((store) => store.at(-1) ?? '')])];
/** Longer patterns, and those of more stars, may be taken to match everything. */
const MAX_PLAIN_PATTERN = 200;
const MAX_STARS = 6;

/** May the pattern of a name match that of a store, by the letters before and behind what stands for others? Most may not. */
function mayEndAsStore(pattern: string): boolean {
  if (pattern.length > MAX_PLAIN_PATTERN || pattern.split('*').length > MAX_STARS + 1) return true;
  const start = /^[^*?[\]\\\uE004]*/.exec(pattern)?.[0] ?? '';
  const end = /[^*?[\]\\\uE004]*$/.exec(pattern)?.[0] ?? '';
  return LAST_NAMES.some((name) => name.startsWith(start) && name.endsWith(end));
}

/** Names under which a search may find a store: with a directory, and whether it takes a home for that. */
const FOUND_HERE = ['.env', '.env.local', '.netrc', '.npmrc', '.git-credentials', 'id_rsa', 'id_ed25519', 'prod.env'];
const FOUND_AT_HOME = [
  '.aws/credentials',
  '.kube/config',
  '.docker/config.json',
  '.config/gh/hosts.yml',
  '.ssh/id_rsa',
];

/** Names, with a directory, that a search in a project may find and that are stores; `home`: or in a home. */
export function findableStores(home: boolean): readonly string[] {
  return home ? [...FOUND_HERE, ...FOUND_AT_HOME] : FOUND_HERE;
}

/** What a file of settings also holds and that is nobody's secret. */
const PLAIN_SETTING =
  /(^|_)(PORT|HOST|HOSTNAME|NAME|ENV|ENVIRONMENT|DEBUG|LEVEL|MODE|VERSION|REGION|ZONE|USER|TZ|LANG|DIR|PATH|ROOT|ENABLED|TIMEOUT|COUNT|SIZE|BRANCH|FILE|i|f|x|line)$/;

/** Is a variable out of a store, by its name, a plain setting? */
export function isPlainSetting(name: string): boolean {
  return PLAIN_SETTING.test(name) && !isSecretVariable(name);
}

/** The last two: addresses in which a password stands. */
const SECRET_VARIABLE =
  /(^|_)(SECRET|TOKEN|(PG)?PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?|JWT|PAT|BEARER|COOKIE|AUTH_CONFIG|CONNECTION_STRING)(_|$)|^MYSQL_PWD$|_SK$|(^|_)WEBHOOK(_URL)?$|(^|_)(DATABASE|DB|REDIS|MONGO(DB)?|POSTGRES(QL)?|PG|MYSQL|AMQP|RABBITMQ|BROKER|SENTRY)_?(URL|URI|DSN)$/;

/** Does a variable, by its name, hold a key, a token or a password? */
export function isSecretVariable(name: string): boolean {
  return SECRET_VARIABLE.test(name);
}
