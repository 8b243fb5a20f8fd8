/**
 * Subcommands that only read or add, by program. `a b` is a subcommand of two words. A rule that matches comes
 * first, so options that destroy are not repeated here.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  git: 'status log diff show blame annotate grep shortlog describe rev-parse rev-list ls-files ls-tree ls-remote cat-file name-rev whatchanged branch tag remote config stash|s reflog|r add commit fetch clone init bisect notes|n archive bundle format-patch cherry diff-tree diff-files diff-index merge-base merge-tree for-each-ref show-ref show-branch count-objects fsck verify-commit verify-tag verify-pack var help version worktree submodule lfs request-pull range-diff push pull merge switch checkout cherry-pick revert mv hash-object write-tree mktree mktag check-ignore check-attr check-ref-format symbolic-ref instaweb gc maintenance send-email difftool apply am range-diff rerere bugreport column interpret-trailers stripspace credential restore reset rm',
  gh: 'pr issue repo release run workflow gist auth api search browse label|l status alias|a config|c extension|e secret|s variable|v codespace|cs org project|p ruleset attestation cache ssh-key gpg-key completion version help',
  hg: 'status log diff summary id identify cat annotate branches branch tags heads parents paths manifest files locate grep root version help add commit ci pull push clone init incoming outgoing in out update up merge bookmark bookmarks phase show',
  svn: 'status st log diff info list ls cat blame proplist propget pg update up checkout co add commit ci help export',
  jj: 'status st log diff show new describe commit git bookmark branch op evolog interdiff help version config workspace file',
  docker:
    'ps images info version inspect logs top stats port diff history search events pull build images create start wait cp tag push login commit save export attach rename|r buildx context|x image|i container|c network|n volume|v compose system|s manifest plugin|p trust scout run exec help scan service|y node|o stack|k secret|e config|g swarm|w',
  'docker-compose':
    'ps logs config images top port events version ls build pull up create start push run exec convert cp watch wait',
  kubectl:
    'get describe logs log top explain api-resources api-versions cluster-info version config|c auth diff events wait port-forward proxy kustomize completion plugin options help create run exec attach cp rollout|o label annotate expose autoscale set scale',
  oc: 'get describe logs status whoami projects project version explain api-resources adm login new-project new-app start-build process',
  helm: 'list ls get status history search show template lint repo dependency dep pull env version plugin|p verify create package test install fetch inspect help completion diff',
  kustomize: 'build version cfg help create',
  minikube: 'status ip service dashboard logs profile addons version start kubectl image ssh-key docker-env',
  kind: 'get version load create export build',
  terraform:
    'plan validate show output fmt version providers graph init get console state|s workspace|w import test refresh force-unlock|f login',
  pulumi: 'preview stack|s config|c version whoami logs plugin about new login',
  ansible: 'all localhost',
  'ansible-inventory': '*',
  'ansible-doc': '*',
  'ansible-lint': '*',
  'ansible-galaxy': 'list info search install init collection role',
  'ansible-vault': 'view encrypt|e',
  'ansible-config': '*',
  vagrant: 'status global-status box|b up ssh-config plugin version validate port init snapshot|s',
  packer: 'validate inspect version fmt init build plugins',
  vault: 'status read list kv|k version login auth|a secrets|s policy|p token|t print path-help write|w',
  consul: 'members info catalog kv|k version monitor validate',
  nomad: 'status node job|j version validate plan alloc server logs',
  apt: 'list search show policy depends rdepends update upgrade install download changelog moo build-dep source satisfy reinstall',
  'apt-get': 'update upgrade install download source check build-dep changelog indextargets reinstall',
  aptitude: 'search show update install why why-not versions',
  'apt-mark': 'showhold showauto showmanual hold unhold auto manual',
  'apt-key': 'list add export fingerprint',
  dpkg: '*',
  dnf: 'list search info provides whatprovides repolist check-update history|h updateinfo deplist repoquery makecache install update upgrade grouplist group|g module|m reinstall builddep localinstall groupinstall',
  zypper:
    'search se info if list-updates lu repos lr refresh ref packages pa patterns services install in update up patch source-install addrepo ar what-provides wp locks ll',
  rpm: '*',
  pacman: '*',
  yay: '*',
  paru: '*',
  apk: 'info search list policy stats add update upgrade fetch dot version verify audit',
  brew: 'list ls info search deps uses outdated doctor config desc home log update install upgrade tap services|s cat formulae casks leaves fetch options bundle pin commands shellenv reinstall link analytics --prefix --version --cellar --repository --cache --config',
  snap: 'list find info version connections interfaces changes services install refresh known warnings model download',
  flatpak: 'list search info remotes history remote-ls install update run ps remote-add config',
  pip: 'list show freeze check search download index debug inspect config help hash install wheel cache|c completion',
  pipx: 'list install run environment upgrade upgrade-all inject ensurepath',
  npm: 'ls list ll la view info show v search s outdated audit|u fund help version|n ping whoami root prefix bin config|c get explain why query repo docs bugs home doctor pack install i ci add init create update up publish login logout link ln dedupe ddp token|t access|a owner|o team|e dist-tag|d org cache|x completion sbom diff exec|X',
  pnpm: 'list ls ll outdated why audit licenses root bin install i add update up import init dedupe fetch link publish pack store|s config|c env|e doctor setup create dlx|X',
  yarn: 'list info why outdated audit licenses versions install add init import config|c cache|x global|g bin dir version up upgrade dedupe constraints npm|n workspaces|w set plugin|p create help publish pack link explain',
  bun: 'install add i update outdated pm|p init create upgrade link build test audit why info x publish patch',
  gem: 'list search info query specification contents dependency environment env outdated server which install update fetch build help sources|s check',
  bundle: 'list show info outdated check config|c install update add init lock viz open doctor platform package audit',
  cargo:
    'build b check c test t bench doc d tree metadata search info version help clippy fmt new init add update fetch generate-lockfile verify-project locate-project read-manifest pkgid vendor install package audit outdated expand nextest deny machete publish login report run r miri llvm-cov bloat watch',
  rustup: 'show doc which check update install toolchain|t target|a component|c default override|o completions run',
  go: 'build test vet fmt version env list doc mod|m get install help tool work|w generate run',
  composer:
    'show info search outdated validate diagnose licenses depends prohibits audit status install update require init create-project dump-autoload check-platform-reqs about fund config|c suggests why why-not browse',
  poetry:
    'show check version search config|c env|e about install add update lock build init new export publish source|s self|f',
  pipenv: 'graph check install lock update sync --venv --where requirements verify',
  pdm: 'list show info install add update lock sync init build config|c',
  uv: 'sync add lock tree pip|p venv init build publish version python|y tool|t run export self|s cache|c help format',
  conda:
    'list info search env|e config|c create install update activate deactivate init package compare doctor notices export run',
  mamba: 'list info search env|e config|c create install update repoquery activate deactivate',
  nvm: 'ls list ls-remote current use install which version alias|a run exec cache|c reinstall-packages',
  pyenv: 'versions version which whence install local global shell root init rehash commands prefix help virtualenv',
  rbenv: 'versions version which whence install local global shell root init rehash',
  asdf: 'list current where which info latest install global local plugin|p reshim help',
  mise: 'ls list current where which install use trust doctor settings env tasks outdated registry version activate i u',
  sdk: 'list current install use default version',
  nix: 'search show-config flake|f eval build develop shell run log path-info why-depends hash repl profile|p store|s registry fmt print-dev-env',
  'nix-env': '-q --query -qa -i --install -iA -u --upgrade',
  systemctl:
    'status list-units list-unit-files list-timers list-sockets list-dependencies list-jobs list-machines is-active is-enabled is-failed is-system-running show cat help get-default start enable unmask daemon-reload reload preset show-environment --failed --version --no-pager add-wants',
  service: '--status-all * status',
  journalctl: '*',
  loginctl: 'list-sessions list-users show-session show-user session-status user-status list-seats enable-linger',
  launchctl: 'list print load start kickstart enable bootstrap managername print-disabled',
  timedatectl: '* status show list-timezones timesync-status',
  hostnamectl: '* status',
  localectl: '* status list-locales list-keymaps',
  networkctl: '* list status lldp',
  resolvectl: '* status query statistics dns domain',
  nmcli: '* general|g device|d connection|c con dev radio networking|n monitor agent -t',
  ip: '*',
  ifconfig: '*',
  route: '*',
  iwconfig: '*',
  ethtool: '*',
  tc: '*',
  nft: '*',
  iptables: '*',
  ufw: 'status show app version',
  'firewall-cmd': '*',
  sysctl: '*',
  crontab: '-l',
  atq: '*',
  pm2: 'list ls l status logs show describe info monit start save startup prettylist jlist env reload|r',
  supervisorctl: 'status tail pid avail help maintail start',
  nginx: '-t -T -v -V',
  apachectl: 'configtest -t -S -M -v -V status fullstatus start',
  aws: '*',
  gcloud: '*',
  gsutil: 'ls cat stat du cp rsync hash version help mb acl|a iam|i versioning',
  bq: 'ls show head query|q mk load extract version',
  az: '*',
  doctl: '*',
  heroku:
    'apps logs ps config|c info releases addons|a domains auth pg|p status version open plugins|u login create git buildpacks stack|s',
  fly: 'status logs apps|a releases info version regions ips|i machine|m volumes|v deploy launch auth open config|c platform',
  vercel: 'ls list inspect logs whoami domains|d env|e deploy dev link pull build login certs|c',
  netlify: 'status sites|s deploy dev build env|e logs open link login functions',
  wrangler: 'tail whoami dev deploy kv|k r2|r d1|d init login types pages|p secret|s',
  firebase: 'projects|p use deploy serve emulators login apps|a',
  openssl:
    'version x509 s_client req|q rsa pkey dgst enc rand ciphers verify crl ca|c genrsa genpkey ec ecparam asn1parse pkcs12 prime passwd speed list s_server dhparam help pkcs8 ocsp ts',
  gpg: '*',
  'ssh-keygen': '*',
  'ssh-add': '*',
  rsync: '*',
  scp: '*',
  sftp: '*',
  rclone:
    'ls lsl lsd lsf lsjson size check cat tree about config|c listremotes version ncdu md5sum sha1sum hashsum copy copyto copyurl mkdir mount serve touch link',
  restic: 'snapshots ls find stats check diff cat list version dump backup init mount copy|c key|k',
  borg: 'list info check diff --version create init mount export-tar umount key|k extract|x',
  tmux: '*',
  screen: '*',
  cmake: '*',
  meson: 'setup compile test introspect configure dist',
  ninja: '-n -t',
  bazel: 'build test query cquery aquery info version help fetch mod',
  gradle: 'tasks dependencies projects properties help',
  gradlew: 'tasks dependencies projects properties help',
  mvn: '-v --version dependency:tree help:effective-pom validate',
  dotnet:
    'build test restore add --info --version --list-sdks list new sln tool|t publish pack nuget|n run watch msbuild format|f workload|w',
  jar: 't tf tvf -tf -tvf --list cf cvf cfe cvfe cfm cvfm -cf -cvf --create',
  java: '-version --version',
  swift: 'build test package|p --version',
  flutter: 'doctor devices --version analyze test build create pub|p run config|c channel upgrade emulators',
  dart: 'analyze test --version pub|p format|f compile create run',
  mix: 'compile test deps.get deps.tree help phx.routes hex.info format|f credo dialyzer new phx.new',
  zig: 'build test version fmt zen',
  stack: 'build test ls path new init',
  cabal: 'build test list info update install init',
  rails:
    'routes stats about notes generate|g new server s console test --version runner|r db:version db:migrate:status db:migrate db:create',
  rake: '-T -P --tasks about stats notes routes spec test db:version db:migrate:status',
  php: '-v -m -i -l --version',
  artisan: 'route:list list about',
  mysqladmin: 'status ping version variables processlist extended-status create',
  mount: '*',
  sort: '*',
  sed: '*',
  awk: '*',
  curl: '*',
  wget: '*',
  chmod: '+',
  chown: '+',
  chgrp: '+',
  setfacl: '+',
  xattr: '*',
  dmesg: '*',
  mdadm: '*',
  hdparm: '*',
  nvme: 'list smart-log id-ctrl id-ns error-log fw-log version list-subsys show-regs get-log get-feature',
  zfs: 'list get version snapshot holds diff mount create set|s clone hold send bookmark userspace groupspace allow',
  zpool: 'list status iostat history get version events scrub import',
  btrfs: '*',
  fdisk: '*',
  parted: '*',
  sfdisk: '*',
  sgdisk: '*',
  wipefs: '*',
  losetup: '*',
  cryptsetup: 'luksDump status isLuks benchmark luksUUID luksHeaderBackup open luksOpen luksAddKey',
  'qemu-img': 'info check map create convert compare measure snapshot bench',
  virsh:
    'list dominfo domstate domblklist domiflist net-list net-info pool-list pool-info vol-list nodeinfo version capabilities dumpxml snapshot-list snapshot-info start uri hostname snapshot-create-as snapshot-create vncdisplay domifaddr console',
  vboxmanage: 'list showvminfo showhdinfo',
  VBoxManage: 'list showvminfo showhdinfo',
  lxc: 'list info version config|c image|i profile network storage launch start',
  multipass: 'list info version find launch start',
  adb: 'devices logcat version get-state push|p pull install connect forward shell|s start-server',
  xcodebuild: '-list -showsdks -version',
  xcrun: '-f --find --show-sdk-path simctl|s',
  security:
    'find-generic-password find-internet-password list-keychains find-certificate find-identity dump-keychain verify-cert show-keychain-info',
  defaults: 'read read-type domains find write|w',
  diskutil: 'list info activity apfs|a verifyVolume verifyDisk mount',
  pmset: '-g',
  scutil: '--dns --get --nwi --proxy',
  networksetup: '-listallnetworkservices -getinfo -listallhardwareports -getdnsservers',
  tmutil:
    'listbackups status latestbackup listlocalsnapshots destinationinfo startbackup snapshot localsnapshot compare',
  certbot: 'certificates plugins show_account certonly renew',
  'fail2ban-client': 'status ping version get',
  ipset: 'list test save',
  conntrack: '-L -S -C --dump',
  auditctl: '-l -s',
  dkms: 'status',
  udevadm: 'info monitor settle control|c test',
  efibootmgr: '*',
  bootctl: '* status list is-installed',
  'update-alternatives': '--list --display --get-selections --query --config --install',
  debconf: '*',
  kubeadm: 'version token|t config|c certs|e upgrade|u',
  eksctl: 'get version info utils|u create',
  istioctl: 'version analyze proxy-status ps proxy-config pc validate verify-install',
  argocd: 'app|a version cluster|c repo|r account context proj|p login',
  flux: 'get check logs version tree trace stats export create reconcile diff build events',
  skaffold: 'version config|c diagnose build render dev run',
  tilt: 'version up ci',
  crictl: 'ps pods images info version inspect inspecti inspectp logs stats pull imagefsinfo',
  ctr: 'version images|i containers|c',
  buildah: 'images containers inspect info version bud build from pull push login',
  skopeo: 'inspect list-tags copy login sync',
  etcdctl: 'get member|m endpoint version snapshot|s alarm|a put lease|l',
  kcat: '-L -C',
  rabbitmqctl:
    'status list_queues list_exchanges list_users list_vhosts list_bindings list_connections list_consumers cluster_status environment list_permissions list_policies report ping',
  nodetool:
    'status info ring tpstats describecluster netstats cfstats tablestats version gossipinfo compactionstats snapshot flush repair',
  'kafka-topics': '--list --describe --create',
  'kafka-topics.sh': '--list --describe --create',
  'kafka-consumer-groups': '--list --describe',
  'kafka-consumer-groups.sh': '--list --describe',
  'kafka-console-consumer': '*',
  'kafka-console-consumer.sh': '*',
  influx: 'ping query version bucket|b org|o',
  mongodump: '*',
  mongoexport: '*',
  mongostat: '*',
  mongotop: '*',
  pg_restore: '*',
  pg_isready: '*',
  pgbench: '-n',
  vacuumdb: '*',
  reindexdb: '*',
  wg: '* show showconf genkey pubkey genpsk',
  tailscale: 'status ip ping netcheck version whois up serve file',
  cloudflared: 'tunnel|t version',
  ngrok: 'http config|c version',
  op: 'item|i vault|v read whoami account list get signin',
  pass: '* show ls find grep insert|i git|g',
  bw: 'list get status sync generate unlock login lock',
  chezmoi: 'status diff data doctor managed source-path cat verify add cd init',
  stow: '*',
  direnv: 'status allow reload hook version export',
  'pre-commit': 'run install autoupdate validate-config',
  husky: '*',
  lerna: 'ls list changed diff run bootstrap version publish',
  nx: 'graph show list affected run report format:check run-many',
  turbo: 'run ls build test lint',
  ng: 'version build test lint serve generate|g new',
  vue: 'create --version info inspect',
  expo: 'start doctor',
  hugo: '* version list server new env config',
  jekyll: 'build serve new doctor',
  mkdocs: 'build serve new',
  jupyter: 'notebook lab kernelspec|k --version nbconvert',
  alembic: 'current history heads show check branches upgrade revision',
  flyway: 'info validate migrate version',
  liquibase: 'status history validate diff update updateSQL',
  prisma: 'generate validate format studio version db|d migrate|m',
  knex: 'migrate:list migrate:status migrate:latest migrate:make seed:make',
  sequelize: 'db:migrate:status db:migrate db:create migration:generate',
  dbt: 'run test compile docs ls list debug parse deps seed build source snapshot',
  sqlx: 'migrate|m database|d prepare',
  diesel: 'migration|m print-schema setup',
  puppet: 'config|c module|m parser lookup facts --version agent resource|r',
  salt: '*',
  'salt-call': '*',
  facter: '*',
  ohai: '*',
  knife: 'node|n status search role|r cookbook|c environment|e client|l',
  scontrol: 'show ping',
  sacctmgr: 'show list',
  sbatch: '*',
  lpr: '*',
  lp: '*',
  xrandr: '*',
  xset: '*',
  amixer: '*',
  pactl: '* list info set-sink-volume set-default-sink get-sink-volume',
  bluetoothctl: 'list show devices info scan paired-devices connect pair trust',
  brightnessctl: '*',
  playerctl: '*',
  nmap: '*',
  tcpdump: '*',
  date: '*',
  hwclock: '*',
  truncate: '*',
  fallocate: '*',
  tput: '*',
  stty: '*',
  trap: '*',
  mvnw: '-v --version dependency:tree',
  code: '--list-extensions --install-extension --version --diff',
  tldr: '*',
  'manage.py':
    'showmigrations check test runserver shell makemigrations migrate collectstatic createsuperuser diffsettings inspectdb sqlmigrate dumpdata help version startapp startproject dbshell',
  swapon: '--show -s --summary',
  flask: 'routes run shell --version',
};

type Sub = { readonly all: boolean; readonly first: ReadonlySet<string>; readonly grouped: ReadonlySet<string> };

/** For subcommands marked as groups (`stash|s`): second words that only read or add. */
const GROUP_READS =
  /^(list|ls|show|get|status|info|describe|view|search|diff|log|logs|inspect|history|tail|add|create|new|save|push|set|apply|install|init|check|validate|version|current|path|dir|which|root|ps|df|build|pull|tag|up|start|port|top|stats|events|images|config|graph|tree|test|lint|help|enable|import|sync|link|download|export|outdated|verify|upload|put|read|lookup|enum|copy|connect|login|use|edit|rename|label|run|why|tidy|vendor|compile|freeze|migrate|upgrade|-l|-v|--list|--get|--get-all|--get-regexp|--global|-h|dump|snapshot|policy|watch|fork|clone|checkout|comment|review|ready|develop|switch|attach|wait|foreach|update|summary|absorbgitdirs|pop|branch|unshallow|track|ls-files|generate|convert|metadata|archive|flake|cat|fetch|audit|open|exec|rollout|pause|resume|query|count|kustomize|current-context|use-context|get-contexts|set-context|view|list-.*|get-.*|describe-.*|show-.*|.*-list|.*-show|.*-status|.*-info)$/;

function compile(text: string): Sub {
  const tokens = text.split(' ').filter((token) => token !== '');
  const first = new Set<string>();
  const grouped = new Set<string>();
  for (const token of tokens) {
    const bar = token.indexOf('|');
    if (bar < 0) first.add(token);
    else grouped.add(token.slice(0, bar));
  }
  return { all: first.has('*') || first.has('+'), first, grouped };
}

const TABLE: ReadonlyMap<string, Sub> = new Map(
  Object.entries(HARMLESS).map(([program, text]) => [program, compile(text)]),
);

/** Tools whose words follow the byVerbs closely enough that a reading verb settles it. */
const SPEAKING = new Set(
  'aws gcloud az doctl linode-cli hcloud scw exo ibmcloud oci yc aliyun tccli ovhcloud civo vultr-cli upctl eksctl kops rancher openstack nova cinder glance neutron swift-cli cf ibmcloud bx heroku fly flyctl railway render vercel netlify wrangler cloudflared firebase amplify sam cdk copilot eb sls serverless pulumi kubectl oc helm istioctl linkerd argocd argo flux tkn kn velero kubeadm k3d kind minikube consul vault nomad boundary waypoint packer terraform etcdctl rabbitmqadmin rabbitmqctl kafka-topics kafka-topics.sh nats pulsar-admin influx mongocli atlas pscale turso neonctl supabase hasura planetscale redis-cli influxd cockroach mc s3cmd b2 rclone restic borg kopia duplicity bacula gh glab hub tea jira acli sentry-cli datadog-ci newrelic stripe twilio slack auth0 okta ghost snyk sonar-scanner npm pip brew pm2 supervisorctl systemctl virsh vboxmanage VBoxManage vmrun govc esxcli xe pvesh qm pct lxc incus multipass vagrant docker podman nerdctl ctr crictl buildah skopeo zfs zpool btrfs lvm nmcli wp drush artisan console rails mix gcloud-beta m365 power-apps databricks snow snowsql bq gsutil gam ipa samba-tool kadmin asadmin jboss-cli wsadmin tower awx nexus jfrog jf conan helmfile dapr func swa azcopy storcli megacli'.split(
    ' ',
  ),
);

/** Does this subcommand only read or add, by the tables? Undefined: the tables don't know the program. */
export function isHarmlessSubcommand(
  program: string,
  words: readonly string[],
  flags: ReadonlySet<string>,
): boolean | undefined {
  const sub = TABLE.get(program);
  if (!sub) return undefined;
  const [first, second] = words;
  if (sub.all && (first === undefined || !SPEAKING.has(program))) return true;
  if (first === undefined) {
    for (const flag of flags) if (sub.first.has(flag)) return true;
    return sub.all || (SPEAKING.has(program) && flags.size === 0);
  }
  if (sub.first.has(first)) return true;
  if (sub.grouped.has(first)) return second === undefined || GROUP_READS.test(second);
  for (const flag of flags) if (sub.first.has(flag)) return true;
  return false;
}

/** Is this a tool whose reading verbs can be trusted (`aws ec2 describe-instances`)? */
export function isSpeaking(program: string): boolean {
  return SPEAKING.has(program);
}
