import type { Records } from '../record.ts';

/** Programs of which only a little is known: enough for the rows that name them, never for a proof. */
export const UNREAD: Records = {
  'aria2c swaks port pkg emerge podman-compose s4cmd kaggle huggingface-cli hf ollama dropdb dropuser mongorestore cqlsh memcflush umount fusermount fusermount3 rc-service initctl launchctl atrm batch dbus-send gdbus busctl firewall-cmd rmmod insmod swapoff reboot halt poweroff init telinit userdel groupadd groupdel groupmod chpasswd adduser deluser gpasswd chsh chfn mkfs gdisk blkdiscard fastboot ddrescue parallel-ssh salt emacsclient eject xdg-open':
    { unread: true, needs: true },
  jshell: { unread: true },
  erl: { unread: true, singleDash: true, code: /^-eval$/ },
  racket: { unread: true, code: /^(-e|--eval)$/ },
  uvx: { unread: true, needs: '*' },
  parallel: {
    unread: true,
    values:
      '-j --jobs -I --colsep -S --sshlogin -a --arg-file --joblog --results --delay --timeout -N -n --tmpdir --workdir -d --delimiter --retries --load --tagstring',
    dryRun: '--dry-run --dryrun',
  },
  killall: { unread: true, values: '-s --signal -u --user -y -o' },
  cockroach: { unread: true, values: '-e --execute --host --url -d --database --certs-dir', traits: ['speaks'] },
  'clickhouse-client': {
    needs: true,
    unread: true,
    values: '-q --query --host --port -u --user --password -d --database',
  },
  useradd: { needs: true, unread: true, values: '-c -d -e -f -g -G -k -s -u -b -K -p -R' },
  usermod: { needs: true, unread: true, values: '-c -d -e -f -g -G -l -p -s -u -R -v -w' },
  at: { needs: true, unread: true, values: '-f -q -t' },
  'microk8s k3s': {
    needs: { k3s: true },
    unread: true,
    values:
      '-n --namespace --context --cluster --kubeconfig --user --server --as --token --filename -l --selector -o --output --container --replicas --field-selector --grace-period --timeout --patch --type --image --port --target-port --from-literal --from-file --tail --since --as-group --request-timeout -k --kustomize --certificate-authority --template --sort-by -L --label-columns --overrides --restart --env',
  },
  packer: { unread: true, singleDash: true, traits: ['speaks'] },
  'xrandr xset feh mogrify dsymutil tc qemu-img': { unread: true, singleDash: true },
  zypper: { needs: true, unread: true, dryRun: '-D --dry-run' },
  opam: { unread: true, dryRun: '--dry-run --show-actions', traits: ['printsSetup'] },
  guix: { unread: true, dryRun: '-n --dry-run' },
  puppet: { unread: true, dryRun: '--noop' },
  'salt-call': { needs: true, unread: true, dryRun: 'test=True' },
  'chef chef-client': { unread: true, dryRun: '-W --why-run' },
  sgdisk: { needs: true, unread: true, dryRun: '-p --print -P --pretend -i -v' },
  'mkfs.xfs fsck': { unread: true, dryRun: '-N' },
  'e2fsck xfs_repair mmv p4': { of: { mmv: { touches: 'changes' } }, unread: true, dryRun: '-n' },
  resize2fs: { unread: true, dryRun: '-P' },
  'tmpreaper tmpwatch': { unread: true, dryRun: '-t --test' },
  stow: { unread: true, dryRun: '-n --no --simulate' },
  shutdown: { needs: true, unread: true, dryRun: '-k' },
  visudo: { needs: true, unread: true, dryRun: '-c --check' },
  'trash-put gio': { touches: 'changes', unread: true },
  'ed ex': { touches: 'changes', code: 'text', unread: true },
  uudecode: { unread: true, output: { gives: 'decoded' } },
  trash: { touches: 'changes', unread: true, dryRun: '--dry-run' },
  flyway: { unread: true, dryRun: '-dryRunOutput' },
  goreleaser: { unread: true, dryRun: '--snapshot' },
  'socat telnet mail mailx sendmail mutt ftp lftp tftp gist croc transfer wormhole twine': {
    needs: { 'socat telnet mail mailx sendmail mutt ftp lftp tftp twine': true },
    unread: true,
    traits: ['sends'],
  },
  sftp: { needs: true, unread: true, traits: ['sends', 'namesOnly'] },
  's3cmd mc': { needs: { s3cmd: true }, unread: true, traits: ['sends', 'speaks'] },
  'nodenv goenv jenv dircolors lesspipe keychain thefuck register-python-argcomplete atuin fzf luarocks tmuxifier rtx luaver gpg-agent gnome-keyring-daemon tset setterm plenv phpbrew spack module modulecmd chezmoi':
    { unread: true, traits: ['printsSetup'] },
  'grunt gulp': { unread: true, traits: ['runsProject'] },
  'linode-cli hcloud scw exo ibmcloud oci yc aliyun tccli ovhcloud civo vultr-cli upctl kops rancher openstack nova cinder glance neutron swift-cli cf bx render cloudflared amplify sam cdk copilot sls serverless linkerd argo tkn kn k3d boundary waypoint rabbitmqadmin nats pulsar-admin influx mongocli atlas pscale turso neonctl supabase hasura planetscale influxd b2 kopia bacula hub tea jira acli sentry-cli datadog-ci newrelic stripe twilio slack auth0 okta ghost snyk sonar-scanner pm2 supervisorctl vmrun govc esxcli xe pvesh qm pct lvm wp drush console gcloud-beta m365 power-apps databricks snow snowsql gam ipa samba-tool kadmin asadmin jboss-cli wsadmin tower awx nexus jfrog jf conan helmfile dapr func swa azcopy storcli megacli':
    { needs: { 'linode-cli hcloud influx supabase hub': true }, unread: true, traits: ['speaks'] },
};
