/**
 * Files with keys, tokens and passwords. The gate asks before they are shown or sent, the undo store keeps no copy of
 * them, and the filter knows their secrets.
 *
 * A pattern without a slash is a name in any directory; with slashes it is the end of a path; with a leading slash
 * it is a whole path; with a trailing slash it means everything below that directory.
 */
import { patternsIn, sourceOf, spellOut } from './patterns.ts';

/** The format of a file. `token`: only the secret; `keys`: a private key; `pairs`: `NAME=value` lines. */
export type Format = 'text' | 'pairs' | 'token' | 'keys' | 'netrc' | 'pgpass';

/** Files in the home directory with their formats; the filter reads their secrets at the start. */
const READ_AT_HOME: Readonly<Record<Format, string>> = {
  text: `
    .aws/credentials .git-credentials .kube/config .docker/config.json .cargo/credentials{.toml,} .gem/credentials
    .terraform.d/credentials.tfrc.json .config/{gh/hosts.yml,glab-cli/config.yml,hub,rclone/rclone.conf}
    .config/gcloud/application_default_credentials.json
  `,
  pairs: '.npmrc .pypirc .my.cnf .s3cfg .boto .env',
  token: '.vault-token .cache/huggingface/token .huggingface/token',
  keys: '.ssh/id_{rsa,ed25519,ecdsa,dsa}',
  netrc: '.netrc',
  pgpass: '.pgpass',
};

/** A program's settings for its environment. */
const ENVIRONMENT_FILES = '.env.* .envrc .envrc.* *.env env.{local,production,staging,prod} .flaskenv .dev.vars';

/** Names that announce a secret, for any program. */
const KEY_FILES = `
  id_{rsa,dsa,ecdsa,ed25519}{,_sk} *.{p12,pfx,ppk,kdbx,jks,keystore,ovpn} *.env
  {tls,server,client,private,priv,ssl,master,ca,host,deploy}*.key priv*.pem *key.pem {deploy,ssh,private}_key
  secret{,s}.{yaml,yml,json,toml} credentials.{json,yaml,yml,toml}
`;

const OTHER_NAMES = `
  ${ENVIRONMENT_FILES}
  token.json auth.json oauth_creds.json *{-,_}key.json client_secret*.json *service{a,A,-a,_a}ccount*.json *firebase-adminsdk*.json
  .secrets .htpasswd {passwords,password,passwd}.{txt,csv,json,yaml,yml} {,.}vault{,-,_}pass{,word}{,.txt}
  _netrc .authinfo{,.gpg} .{msmtp,mbsync,fetchmail,sentrycli,offlineimap}rc .mylogin.cnf .smbcredentials .passwd-s3fs
  .{bash,zsh,sh,python,node_repl,psql,mysql,sqlite}_history
  *.tfstate{,.backup} *.tfvars{,.json} .terraformrc local.settings.json keystore.properties wp-config.php kubeconfig
  .dockercfg .databrickscfg .clasprc.json .wakatime.cfg .erlang.cookie .Xauthority krb5cc_* wallet.dat login.keychain{,-db}
  Login?Data Cookies cookies.sqlite key4.db logins.json
`;

/** The usual paths of programs. */
const PLACES = `
  .ssh/ .gnupg/ .password-store/ .aws/ .azure/ .local/share/keyrings/ Library/Keychains/ run/secrets/ aish/mcp-logins/
  .config/{gcloud,rclone,op,remmina,openai}/ .config/{git/credentials,linode-cli,msmtp/config,pypoetry/auth.toml}
  .config/{github-copilot/{apps,hosts}.json,doctl/config.yaml,hcloud/cli.toml,containers/auth.json,composer/auth.json}
  .config/{sops/age/keys.txt,ngrok/ngrok.yml,stripe/config.toml,configstore/firebase-tools.json,pulumi/credentials.json}
  .config/{filezilla/{sitemanager,recentservers}.xml,netlify/config.json,tea/config.yml,solana/id.json}
  .local/share/{opencode/auth.json,com.vercel.cli/auth.json} .mozilla/firefox/*/logins.json .thunderbird/*/logins.json
  {.huggingface,.cache/huggingface}/stored_tokens .{sbt,ivy2}/.credentials .m2/settings{,-security}.xml .gradle/gradle.properties
  .{claude/.credentials.json,codex/auth.json,cursor/mcp.json,aider.conf.yml,composer/auth.json,pulumi/credentials.json}
  .{fly/config.yml,oci/config,oci/*.pem,kaggle/kaggle.json,ngrok2/ngrok.yml,railway/config.json,dbt/profiles.yml}
  .{bluemix/config.json,hex/hex.config,mc/config.json,snowflake/config.toml,snowsql/config,aliyun/config.json,bundle/config}
  .{tencentcloud/*credential,cloudflared/*.pem,cloudflared/*.json,twilio-cli/config.json,weechat/sec.conf}
  .{davfs2/secrets,nuget/NuGet/NuGet.Config,travis/config.yml,circleci/cli.yml,influxdbv2/configs,purple/accounts.xml}
  .{bitcoin/wallet{,s},ethereum/keystore,electrum/wallets,wrangler/config,subversion/auth}/
`;

/** Files of the system. */
const SYSTEM = `
  /etc/{shadow,gshadow,sudoers,krb5.keytab,ipsec.secrets,cifs-credentials} /etc/ssl/private/ /etc/ssh/ssh_host_*_key
  /etc/wireguard/*.conf /etc/NetworkManager/system-connections/ /etc/ppp/{chap,pap}-secrets /etc/mysql/debian.cnf
  /etc/kubernetes/*.conf /etc/rancher/{k3s,rke2}/*.yaml /etc/postfix/sasl_passwd /etc/wpa_supplicant/*.conf
  /etc/openvpn/*.{key,ovpn,txt} /proc/*/environ /proc/*/task/*/environ
`;

/** Exceptions without secrets: samples of such files, and files in packages. */
const NO_SECRETS = `
  node_modules/ site-packages/
  *.pub pub*key.pem *pub{,lic}{,-,_}key.pem .ssh/config .ssh/config.d/ .ssh/known_hosts* .ssh/authorized_keys*
  {example,sample,template,dist}{,s}.* *{.,_,-}{example,sample,template,dist}{,s}.* *.{example,sample,template,dist}
`;

export const CREDENTIAL_FILES: readonly string[] = [
  ...[...Object.values(READ_AT_HOME), KEY_FILES, OTHER_NAMES, PLACES, SYSTEM].flatMap(patternsIn),
];
export const NO_CREDENTIALS: readonly string[] = patternsIn(NO_SECRETS);

/** The paths below the home directory that the filter reads. */
export const READABLE_AT_HOME: readonly (readonly [path: string, format: Format])[] = Object.entries(
  READ_AT_HOME,
).flatMap(([format, list]) =>
  patternsIn(list)
    .flatMap(spellOut)
    .map((path) => [path, format as Format] as const),
);

const matching = (patterns: readonly string[]): { readonly name: RegExp; readonly path: RegExp } => {
  const sources = (some: readonly string[]) => some.map((each) => sourceOf(each).replace(/\/$/, '/.+')).join('|');
  const whole = patterns.filter((pattern) => pattern.startsWith('/'));
  const names = patterns.filter((pattern) => !pattern.includes('/'));
  const ends = patterns.filter((pattern) => pattern.includes('/') && !pattern.startsWith('/'));
  return {
    name: new RegExp(`^(?:${sources(names)})$`, 's'),
    path: new RegExp(`(?:^|/)(?:${sources(ends)})$|^(?:${whole.length === 0 ? '(?!)' : sources(whole)})$`, 's'),
  };
};

const SECRET = matching(CREDENTIAL_FILES);
const HARMLESS = matching(NO_CREDENTIALS);
const ENVIRONMENT = matching([...patternsIn(ENVIRONMENT_FILES), '.env']);

/** The system accepts no longer path (PATH_MAX), and no file system a longer name. */
const MAX_PATH_CHARS = 4096;
const MAX_NAME_CHARS = 1024;

/** Whether a path is one of `CREDENTIAL_FILES`. */
export function isCredential(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (path.length > MAX_PATH_CHARS || name.length > MAX_NAME_CHARS) return false;
  const isSecret = SECRET.name.test(name) || (name !== path && SECRET.path.test(path));
  return isSecret && !HARMLESS.name.test(name) && !HARMLESS.path.test(path);
}

/** Whether a name is a settings file for a program's environment (`.env`). */
export const isEnvironmentFile = (name: string): boolean => ENVIRONMENT.name.test(name) && !HARMLESS.name.test(name);
