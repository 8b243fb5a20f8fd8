/** What Project mode needs to know of programs and rules: who leaves the machine, who ends processes, what the store keeps. */

/** Programs that do nothing without the network, a server's socket, or rights that nobody gains there. */
const REMOTE = words(`
  curl wget aria2c http https xh ssh scp sftp ftp lftp tftp nc ncat netcat socat telnet mosh ping ping6 traceroute mtr dig
  nslookup host whois nmap mail mailx sendmail mutt swaks
  apt apt-get aptitude dpkg dnf rpm zypper pacman apk brew snap flatpak nix nix-env port pkg emerge
  docker docker-compose podman-compose buildah skopeo kubectl oc helm minikube kind k3s nomad consul vault virsh vagrant
  lxc incus multipass ctr crictl kustomize argocd flux istioctl
  aws gcloud az gsutil bq s3cmd s4cmd rclone restic borg doctl heroku fly flyctl vercel netlify firebase supabase wrangler linode-cli hcloud
  terraform pulumi ansible ansible-playbook gh glab hub twine kaggle huggingface-cli hf ollama
  psql pg_restore pg_dump dropdb createdb dropuser mysql mysqladmin mysqldump mongosh mongorestore mongodump redis-cli cqlsh
  influx etcdctl kafka-topics kafka-topics.sh rabbitmqctl clickhouse-client memcflush
  sudo su doas pkexec run0 mount umount fusermount fusermount3 systemctl service rc-service initctl launchctl crontab at atrm batch
  tmux screen dbus-send gdbus busctl loginctl hostnamectl timedatectl localectl nmcli ip ifconfig route iptables nft ufw firewall-cmd
  sysctl modprobe rmmod insmod swapoff swapon reboot shutdown halt poweroff init telinit
  useradd userdel usermod groupadd groupdel groupmod passwd chpasswd adduser deluser gpasswd visudo chsh chfn
  mkfs wipefs fdisk sfdisk parted sgdisk gdisk blkdiscard lvremove vgremove pvremove lvreduce zfs zpool mdadm cryptsetup hdparm
  fastboot adb ddrescue tsh pdsh pssh parallel-ssh clush salt salt-call chroot nsenter machinectl ssh-add ssh-copy-id ssh-keyscan
  emacsclient eject xdg-open autossh sshpass ssh-agent`);

/** Subcommands that need the network, by program. */
const FETCHES: Readonly<Record<string, RegExp>> = {
  git: /^(push|fetch|pull|ls-remote|send-email|svn|lfs)$/,
  hg: /^(push|pull|clone)$/,
  svn: /^(co|checkout|commit|ci|update|up|delete|rm|import)$/,
  npm: /^(install|i|ci|add|update|up|upgrade|publish|unpublish|create|init|exec|login|deprecate|dist-tag|owner|access|audit|view|search|install-ci-test|outdated)$/,
  pnpm: /^(install|i|add|update|up|publish|create|dlx|fetch|import)$/,
  yarn: /^(install|add|up|upgrade|publish|create|dlx|npm)$/,
  bun: /^(install|i|add|update|create|publish|x)$/,
  pip: /^(install|download|search|index|wheel)$/,
  pipx: /^(install|upgrade|run|inject)$/,
  uv: /^(sync|add|lock|pip|tool|publish|python)$/,
  poetry: /^(install|add|update|publish|lock)$/,
  conda: /^(install|create|update|upgrade|search)$/,
  mamba: /^(install|create|update|search)$/,
  cargo: /^(install|update|publish|add|search|yank|login|fetch|owner)$/,
  go: /^(get|install)$/,
  gem: /^(install|update|push|yank|fetch)$/,
  bundle: /^(install|update|add)$/,
  composer: /^(install|require|update|create-project)$/,
  dotnet: /^(restore|add|nuget|tool)$/,
  rustup: /./,
  nvm: /^install$/,
  deno: /^(install|add|cache|publish|upgrade)$/,
  npx: /./,
  uvx: /./,
};

/** Rules whose loss is a change of files alone: in the tree the store keeps it. */
const KEPT = new Set(
  `rm -rf|rm -fr|rm|trash|find -delete|find to a file|find -exec rm|truncate to zero|rename|in-place editor|patch over files
   git reset --hard|git clean -fd|git branch -D|git discard|git stash drop|git rewrite history|git drop objects|git delete|git read-tree
   git branch -d of a list|git refs and index|chmod 777|recursive permissions|chown on root path|changes permissions
   archive loses files|output over a file|truncating redirection|dd over a file|tee|sponge|sort -o|same file in and out|uniq to a file
   cp over a file|mv over a file|install over a file|ln -f|sed -i|sed w|awk -i inplace|awk to a file|perl -i|ruby -i|ed script
   editor script|code over a file|python venv --clear|python code|node code|perl code|ruby code|php code|rsync --delete|patch overwrite
   DROP TABLE|TRUNCATE TABLE|sql DROP|sql DELETE|sql UPDATE|sql ALTER DROP|sql REPLACE|database output`
    .split(/[|\n]/)
    .map((name) => name.trim()),
);

/** The deletions and losses of history that always ask where the user made what is lost (SF-10, MO-9). */
const NAMED = new Set([
  'rm -rf',
  'rm -fr',
  'find -delete',
  'find -exec rm',
  'git reset --hard',
  'git clean -fd',
  'git branch -D',
  'DROP TABLE',
  'DROP DATABASE',
  'TRUNCATE TABLE',
]);

/** Programs that change files they name, or whose code can be searched for what it names. */
const CHANGES_FILES = words(`
  rm rmdir unlink trash trash-put gio find fd truncate rename mmv mv cp install ln dd tee sponge sort uniq sed awk perl ruby php python
  node deno bun ed ex vim emacs patch git chmod chown chgrp tar unzip zip gzip gunzip bzip2 xz zstd 7z ar cpio rsync sqlite3 xargs
  cat echo printf head tail grep cut tr jq yq curl-none black gofmt prettier`);

/** Programs that run the code in their words or on their standard input. */
const CODE = words('python node deno bun perl ruby php lua Rscript R julia emacs awk sed ed ex vim');

/** Programs that make or change files even where nothing is lost. */
const ADDS = words(
  'cp mv install mkdir touch ln rsync tee tar unzip 7z zip gzip git openssl ssh-keygen split csplit truncate chmod chown dd patch',
);

/** As the launcher has them: what it keeps no copy of. */
const LEFT_OUT =
  /\/\.(ssh\/(?!(known_hosts(\.old)?|config|authorized_keys)$)|gnupg\/|aws\/|azure\/|password-store\/|local\/share\/keyrings\/|config\/(gcloud\/|git\/credentials$|gh\/hosts\.yml$)|(netrc|pgpass|my\.cnf|git-credentials|vault-token|pypirc|kube\/config|docker\/config\.json|cargo\/credentials(\.toml)?)$)/;

export const isLeftOut = (path: string): boolean =>
  (LEFT_OUT.test(path) && !path.endsWith('.pub')) || /\/\.(ssh|gnupg|aws|azure|password-store)$/.test(path);
export const isKeptRule = (rule: string): boolean => KEPT.has(rule);
export const isNamedRule = (rule: string): boolean => NAMED.has(rule);
export const changesFiles = (program: string): boolean => CHANGES_FILES.has(program);
export const addsFiles = (program: string): boolean => ADDS.has(program);
/** Text tools, whose programs may name an address without calling it. */
export const isTextTool = (program: string): boolean => /^(awk|sed|ed|ex|vim)$/.test(program);
export const runsCode = (program: string): boolean => CODE.has(program);

/** Addresses of this very machine: a loopback of its own is there. */
const LOOPBACK = /(^|\/\/|@|\s)(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0)([:/\s]|$)/;
const TALKERS = /^(curl|wget|http|https|xh|nc|ncat|netcat|telnet|ping|redis-cli|psql|mysql)$/;
const ASKS_NOTHING = /^--(help|version)$/;

/** Options of git before its subcommand that take the next word. */
const GIT_VALUES = /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/;

/**
 * Whether a call can't do its work without the network, a socket or rights of others.
 * @param serves the same command starts something that may answer on this machine
 */
export function needsMore(program: string, args: readonly string[], serves = false): boolean {
  if (args.some((word) => ASKS_NOTHING.test(word))) return false;
  const operands = args.filter((word) => !word.startsWith('-'));
  if (serves && TALKERS.test(program) && args.some((word) => LOOPBACK.test(word))) return false;
  if (REMOTE.has(program)) return !isReading(program, operands);
  switch (program) {
    case 'rsync':
      return operands.some((word) => /^[\w.@-]+:|^rsync:/.test(word));
    case 'git':
      return gitNeedsMore(operandsOfGit(args), args);
    case 'ssh-keygen':
      // Without a name it writes to ~/.ssh.
      return !args.some((word) => /^-(f|[lyeFHR])/.test(word));
    case 'python':
      return args.some((word, at) => word === '-m' && FETCHES[args[at + 1] ?? '']?.test(args[at + 2] ?? '') === true);
    case 'go':
      return operands[0] === 'mod' ? operands[1] === 'download' : /^(get|install)$/.test(operands[0] ?? '');
    default:
      // Without a subcommand yarn installs.
      return FETCHES[program]?.test(operands[0] ?? (program === 'yarn' ? 'install' : '')) ?? false;
  }
}

function operandsOfGit(args: readonly string[]): readonly string[] {
  return args.filter((word, at) => !word.startsWith('-') && !GIT_VALUES.test(args[at - 1] ?? ''));
}

/** What needs a remote, and what writes to `.git/config` or the user's own, which is out of reach. */
function gitNeedsMore([sub = '', first = '', ...more]: readonly string[], args: readonly string[]): boolean {
  if (sub === 'clone') return [first, ...more].some((word) => /:\/\/|^[\w.-]+@?[\w.-]+:/.test(word));
  if (sub === 'remote' || sub === 'submodule') return /^(update|add|set-.*|remove|rm|rename|prune)$/.test(first);
  if (sub === 'config')
    return (
      more.length > 0 ||
      args.some((word) => /^--(add|unset|unset-all|replace-all|remove-section|edit)$|^-e$/.test(word))
    );
  return FETCHES.git?.test(sub) ?? false;
}

/** Questions about what is installed are answered by files alone. */
function isReading(program: string, [sub = '']: readonly string[]): boolean {
  if (/^(apt|apt-cache|dnf|brew|snap|apk|pacman)$/.test(program)) return /^(list|search|show|info|policy)$/.test(sub);
  return program === 'dpkg' || program === 'rpm' || program === 'ip' || program === 'sysctl' ? sub === '' : false;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}
