/** What holds for a program whatever the words of a call. */
export type Traits = {
  /** It gives what it is given to another machine. */
  readonly sends: boolean;
  /** It prints what the files it is given hold. */
  readonly prints: boolean;
  /** It looks at a file's name, size or sum and never at its text, or a key is made for it. */
  readonly namesOnly: boolean;
  /** It prints the words it is given, or only compares them. */
  readonly keepsWords: boolean;
  /** With certain words it prints what is meant for `eval`. */
  readonly printsSetup: boolean;
  /** It runs files of the project. */
  readonly runsProject: boolean;
  /** Its words say what it does, so that a reading verb settles it (`aws ec2 describe-instances`). */
  readonly speaks: boolean;
  /** Its words go to another machine, whatever they mean there. */
  readonly asks: boolean;
};

const NAMES: Readonly<Record<keyof Traits, string>> = {
  sends:
    'curl wget nc ncat netcat socat telnet ssh scp sftp rsync http https xh aws gcloud az gsutil s3cmd rclone mc mail mailx sendmail mutt ftp lftp tftp dig drill kdig host nslookup whois ping ping6 fping traceroute traceroute6 tracepath mtr getent nmap ssh-keyscan redis-cli psql mysql mongosh openssl gh glab gist croc transfer wormhole kubectl helm docker npm twine',
  prints:
    'cat tac nl head tail less more bat grep rg ag awk sed cut sort uniq tr paste strings xxd od hexdump base64 base32 gzip xz bzip2 zstd tar zip jq yq openssl gpg dd fold rev column tee cp diff comm cmp',
  namesOnly:
    'ls dir vdir exa eza lsd stat file du df find fd tree test [ realpath readlink basename dirname namei wc md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum chmod chown chgrp touch ssh scp sftp mosh autossh rsync ssh-keygen ssh-copy-id lsof fuser getfacl lsattr locate cd pushd curl wget',
  keepsWords: 'echo printf print test [ expr true false : export declare local typeset readonly read set',
  printsSetup:
    'ssh-agent direnv pyenv rbenv nodenv goenv jenv starship zoxide brew conda mamba dircolors resize lesspipe minikube opam fnm mise asdf keychain thefuck register-python-argcomplete kubectl helm gh npm pip atuin fzf docker-machine luarocks perl vagrant tmuxifier rtx nvm poetry uv op aws-vault luaver gpg-agent gnome-keyring-daemon tset locale getopt setterm podman docker plenv phpbrew spack module modulecmd chezmoi gcloud stack swift rustup just task pixi micromamba devbox dbus-launch ssh-add',
  runsProject:
    'make npm yarn pnpm bun npx rake gradle gradlew mvn mvnw ant tox just task cargo go poetry uv bundle rails composer grunt gulp ninja bazel invoke nox mix sbt lein deno dotnet manage.py artisan',
  speaks:
    'aws gcloud az doctl linode-cli hcloud scw exo ibmcloud oci yc aliyun tccli ovhcloud civo vultr-cli upctl eksctl kops rancher openstack nova cinder glance neutron swift-cli cf ibmcloud bx heroku fly flyctl railway render vercel netlify wrangler cloudflared firebase amplify sam cdk copilot eb sls serverless pulumi kubectl oc helm istioctl linkerd argocd argo flux tkn kn velero kubeadm k3d kind minikube consul vault nomad boundary waypoint packer terraform etcdctl rabbitmqadmin rabbitmqctl kafka-topics kafka-topics.sh nats pulsar-admin influx mongocli atlas pscale turso neonctl supabase hasura planetscale redis-cli influxd cockroach mc s3cmd b2 rclone restic borg kopia duplicity bacula gh glab hub tea jira acli sentry-cli datadog-ci newrelic stripe twilio slack auth0 okta ghost snyk sonar-scanner npm pip brew pm2 supervisorctl systemctl virsh vboxmanage VBoxManage vmrun govc esxcli xe pvesh qm pct lxc incus multipass vagrant docker podman nerdctl ctr crictl buildah skopeo zfs zpool btrfs lvm nmcli wp drush artisan console rails mix gcloud-beta m365 power-apps databricks snow snowsql bq gsutil gam ipa samba-tool kadmin asadmin jboss-cli wsadmin tower awx nexus jfrog jf conan helmfile dapr func swa azcopy storcli megacli',
  asks: 'gh glab aws gcloud az gsutil rclone heroku doctl openssl redis-cli kubectl helm',
};

const SETS = Object.entries(NAMES).map(([trait, names]) => [trait, new Set(names.split(' '))] as const);
const known = new Map<string, Traits>();
const NONE = traits('');

/** The traits of a program. */
export function traitsOf(program: string): Traits {
  return known.get(program) ?? NONE;
}

function traits(program: string): Traits {
  return Object.fromEntries(SETS.map(([trait, names]) => [trait, names.has(program)])) as Traits;
}

for (const [, names] of SETS) for (const program of names) if (!known.has(program)) known.set(program, traits(program));
