/** Files that hold keys, tokens and passwords, wherever they lie. */
const STORES =
  /(^|\/)(\.ssh\/(id_\w+|identity|[\w.-]+_key|[\w.-]+\.pem)|\.aws\/(credentials|sso\/.+)|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.kube\/config|\.docker\/config\.json|\.npmrc|\.pypirc|\.git-credentials|\.env(\.(local|production|development|staging|prod|dev))?|\.gnupg\/.+|\.config\/(gh\/hosts\.yml|gcloud\/.+|rclone\/.+|git\/credentials)|\.azure\/.+|\.vault-token|\.terraform\.d\/credentials\.tfrc\.json|\.cargo\/credentials(\.toml)?|\.password-store\/.+|run\/secrets\/.+|aish-tui\/mcp-logins\/.+|\.local\/share\/keyrings\/.+|Login Data|Cookies|cookies\.sqlite|key4\.db|logins\.json)$|^\/etc\/(shadow|gshadow|sudoers|krb5\.keytab)$|^\/proc\/(\d+|self|thread-self)\/(task\/\d+\/)?environ$/;

/** Does this path name a store of credentials? A public key is none. */
export function isCredential(path: string): boolean {
  return STORES.test(path) && !/\.pub$|\.env\.example$/.test(path);
}
