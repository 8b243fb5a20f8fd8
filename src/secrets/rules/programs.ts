/** Programs that take a password by position or by an option that is too short to tell by itself. */
export type Program = {
  /** Options whose next word, or what follows `=`, is the secret. */
  readonly value?: readonly string[];
  /** Options that the secret is glued to. */
  readonly attached?: readonly string[];
  /** Options whose value is `user:secret`. */
  readonly pair?: readonly string[];
  /** What stands between user and secret; a colon by default. */
  readonly between?: RegExp;
  /** What ends the secret of a pair. */
  readonly until?: RegExp;
  /** The operand that is the secret, counted from 0. */
  readonly operand?: number;
  /** An option with which there is one operand less before it. */
  readonly less?: RegExp;
  /** The first operand is `user:secret`. */
  readonly operandPair?: true;
  /** One of these words must be among the first ones. */
  readonly needs?: readonly string[];
};

const SQL: Program = { attached: ['-p'], value: ['--password'] };
const LDAP: Program = { value: ['-w', '-y'] };
const LOGIN: Program = { value: ['-p', '--password'], needs: ['login'] };

export const PROGRAMS: Readonly<Record<string, Program>> = {
  curl: { pair: ['-u', '--user', '-U', '--proxy-user'] },
  wget: { value: ['--password', '--http-password', '--ftp-password', '--proxy-password'] },
  http: { pair: ['-a', '--auth'] },
  https: { pair: ['-a', '--auth'] },
  xh: { pair: ['-a', '--auth'] },
  mysql: SQL,
  mysqldump: SQL,
  mysqladmin: SQL,
  mysqlimport: SQL,
  mariadb: SQL,
  mycli: SQL,
  sshpass: { value: ['-p'], attached: ['-p'] },
  'redis-cli': { value: ['-a', '--pass'] },
  valkey: { value: ['-a', '--pass'] },
  mongo: { value: ['-p', '--password'] },
  mongosh: { value: ['-p', '--password'] },
  mongodump: { value: ['-p', '--password'] },
  mongorestore: { value: ['-p', '--password'] },
  docker: LOGIN,
  podman: LOGIN,
  nerdctl: LOGIN,
  buildah: LOGIN,
  skopeo: { ...LOGIN, pair: ['--creds', '--src-creds', '--dest-creds'], needs: ['login', 'copy', 'inspect'] },
  helm: LOGIN,
  oc: { value: ['-p', '--password'], needs: ['login'] },
  az: { value: ['-p', '--password'], needs: ['login'] },
  ldapsearch: LDAP,
  ldapadd: LDAP,
  ldapmodify: LDAP,
  ldapwhoami: LDAP,
  ldapdelete: LDAP,
  smbclient: { pair: ['-U', '--user'], between: /%/ },
  rpcclient: { pair: ['-U', '--user'], between: /%/ },
  lftp: { pair: ['-u'], between: /,/ },
  ncftp: { value: ['-p'] },
  sqlcmd: { value: ['-P'] },
  bcp: { value: ['-P'] },
  isql: { operand: 2 },
  sqlplus: { operandPair: true, between: /\//, until: /@/ },
  nmcli: { value: ['password', 'wifi-sec.psk', '802-11-wireless-security.psk'] },
  htpasswd: {
    operand: 2,
    less: /^-\w*n/,
    needs: ['-b', '-nb', '-bB', '-nbB', '-Bbn', '-bn', '-cb', '-bc', '-Bb', '-cbB', '-bBn'],
  },
  zip: { value: ['-P', '--password'] },
  unzip: { value: ['-P'] },
  '7z': { attached: ['-p'] },
  '7za': { attached: ['-p'] },
  rar: { attached: ['-p', '-hp'] },
  unrar: { attached: ['-p'] },
  'ssh-keygen': { value: ['-N', '-P'] },
  gpg: { value: ['--passphrase'] },
  keytool: { value: ['-storepass', '-keypass', '-srcstorepass', '-deststorepass'] },
  jarsigner: { value: ['-storepass', '-keypass'] },
  openssl: { value: ['-k', '-K'], pair: ['-passin', '-passout', '-pass'] },
  ipmitool: { value: ['-P'] },
  snmpwalk: { value: ['-A', '-X'] },
  snmpget: { value: ['-A', '-X'] },
  mosquitto_pub: { value: ['-P', '--pw'] },
  mosquitto_sub: { value: ['-P', '--pw'] },
  xfreerdp: { attached: ['/p:'] },
  rdesktop: { value: ['-p'] },
  wpa_passphrase: { operand: 1 },
  twine: { value: ['-p', '--password'] },
  bw: { operand: 1, needs: ['unlock'] },
  cqlsh: { value: ['-p', '--password'] },
  influx: { value: ['-password', '-t', '--token'] },
  clickhouse: { value: ['--password'] },
  'clickhouse-client': { value: ['--password'] },
  psexec: { value: ['-p'] },
  winexe: { pair: ['-U'], between: /%/ },
  crackmapexec: { value: ['-p'] },
  useradd: { value: ['-p', '--password'] },
  usermod: { value: ['-p', '--password'] },
  ansible: { value: ['--vault-password'] },
  svn: { value: ['--password'] },
};
