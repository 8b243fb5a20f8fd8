/**
 * Options that take a value, by program: needed to tell a subcommand from an option's value (`git -C x push`).
 * Options that are not listed and stand alone before a word leave it open whether they take it.
 */
const VALUES: Readonly<Record<string, string>> = {
  git: '-C -c --git-dir --work-tree --namespace -m --message -F --file --author --date --onto -X --strategy-option --format --pretty --grep --since --until --after --before --branch -b --depth --reference --origin --config --push-option --upload-pack --receive-pack --index-filter --tree-filter --msg-filter --env-filter --source --pathspec-from-file --reason --tool',
  sudo: '-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -U --other-user -D --chdir -R --chroot -T --command-timeout',
  doas: '-u -C -a',
  env: '-u --unset -C --chdir -S --split-string',
  nice: '-n --adjustment',
  ionice: '-c --class -n --classdata -p --pid -P -u',
  timeout: '-s --signal -k --kill-after',
  stdbuf: '-i --input -o --output -e --error',
  xargs: '-I -n --max-args -P --max-procs -L --max-lines -d --delimiter -a --arg-file -s --max-chars -E',
  parallel:
    '-j --jobs -I --colsep -S --sshlogin -a --arg-file --joblog --results --delay --timeout -N -n --tmpdir --workdir -d --delimiter --retries --load --tagstring',
  watch: '-n --interval',
  time: '-f --format -o --output',
  chroot: '--userspec --groups',
  strace: '-e -o -p -s -u -E -a -I -O -P -S -X',
  ssh: '-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B',
  scp: '-c -F -i -J -l -o -P -S -D -X',
  docker:
    '-H --host --context --config --log-level -e --env --volume --publish --name -w --workdir --user --entrypoint --network --net --mount --label --env-file --file --filter --format --tag --signal --time --build-arg --target --platform --memory --cpus --hostname --add-host --cap-add --device --restart --project-name --profile --project-directory --scale --tail --since --until --shm-size --ulimit --tmpfs --gpus --ipc --pid --cidfile',
  kubectl:
    '-n --namespace --context --cluster --kubeconfig --user --server --as --token --filename -l --selector -o --output --container --replicas --field-selector --grace-period --timeout --patch --type --image --port --target-port --from-literal --from-file --tail --since --as-group --request-timeout -k --kustomize --certificate-authority --template --sort-by -L --label-columns --overrides --restart --env',
  helm: '-n --namespace --kube-context --kubeconfig -f --values --set --set-string --version --repo --timeout -o --output --history-max --description',
  aws: '--acl --profile --region --output --endpoint-url --query --cli-input-json --ca-bundle --color --cli-connect-timeout --cli-read-timeout',
  gcloud:
    '--metadata --metadata-from-file --member --role --project --account --configuration --zone --region --format --filter --impersonate-service-account --verbosity --billing-project --location --command',
  az: '-g --resource-group -n --name --subscription -o --output --query --location -l --ids --vault-name --account-name --container-name',
  terraform: '-chdir -var -var-file -target -state -out -lock-timeout -parallelism -backend-config -replace',
  find: '-name -iname -path -ipath -wholename -regex -iregex -type -size -mtime -mmin -atime -amin -ctime -cmin -newer -user -group -perm -maxdepth -mindepth -printf -fprintf -fprint -fprint0 -fls -links -inum -samefile -anewer -cnewer -newermt -fstype -uid -gid -lname -ilname -used -xtype -context -files0-from -D',
  fd: '-t --type -e --extension -d --max-depth --min-depth -E --exclude -S --size -c --color -j --threads -o --owner --changed-within --changed-before -C --base-directory --search-path',
  grep: '-e --regexp -f --file -m --max-count -A -B -C --include --exclude --exclude-dir --color -d -D --label',
  rg: '-e --regexp -f --file -m --max-count -A -B -C -g --glob -t --type -T --type-not -j --threads -r --replace --sort --max-depth -d --iglob --context --color --encoding -E',
  sed: '-e --expression -f --file -l --line-length',
  awk: '-F --field-separator -v --assign -f --file -e --source -i --include -l --load -E --exec',
  sort: '-k --key -t --field-separator -o --output -S --buffer-size -T --temporary-directory --parallel --sort --batch-size --compress-program --files0-from',
  uniq: '-f -s -w',
  cut: '-d -f -c -b --delimiter --fields --characters --bytes --output-delimiter',
  head: '-n -c --lines --bytes',
  tail: '-n -c --lines --bytes --pid -s',
  cp: '-t --target-directory -S --suffix --reflink --sparse --no-preserve',
  mv: '-t --target-directory -S --suffix',
  ln: '-t --target-directory -S --suffix',
  install: '-m --mode -o --owner -g --group -t --target-directory -S --suffix --strip-program',
  rsync:
    '-e --rsh --exclude --include --exclude-from --include-from --files-from --rsync-path --bwlimit -f --filter --port --password-file --log-file --backup-dir --suffix -T --temp-dir --partial-dir --compare-dest --link-dest --max-size --min-size --timeout --chmod --chown --out-format --max-delete -M',
  tar: '-f --file -C --directory --exclude -T --files-from -X --exclude-from -b --blocking-factor -I --use-compress-program --checkpoint-action --to-command -F --info-script --transform -H --format -g --listed-incremental -V --label --strip-components --rmt-command --rsh-command --owner --group --mode --mtime',
  zip: '-x -i -P -t -tt -b -n',
  unzip: '-d -x -P',
  truncate: '-s --size -r --reference',
  shred: '-n --iterations -s --size',
  kill: '-s --signal -n',
  pkill: '--signal -u --euid -U -t --terminal -P --parent -g --pgroup -G -s --session -F --pidfile',
  killall: '-s --signal -u --user -y -o',
  chmod: '--reference',
  chown: '--reference --from',
  psql: '-c --command -f --file -d --dbname -h --host -p --port -U --username -v --set --variable -o --output -P --pset -F -R -L --log-file',
  mysql:
    '-e --execute -h --host -P --port -u --user -D --database -S --socket --defaults-file --defaults-extra-file --init-command --protocol',
  sqlite3: '-cmd -init -separator -nullvalue -newline',
  mongosh: '--eval --host --port -u --username -p --password --authenticationDatabase -f --file',
  'redis-cli': '-h -p -a -n -u --user --pass -s -r -i --pattern',
  cockroach: '-e --execute --host --url -d --database --certs-dir',
  'clickhouse-client': '-q --query --host --port -u --user --password -d --database',
  bq: '--project_id --location --dataset_id --format',
  python: '-c -m -W -X',
  node: '-e --eval -p --print -r --require --import -C --conditions --input-type',
  deno: '-c --config --import-map',
  perl: '-e -E -I -M -m -F',
  ruby: '-e -I -r -C -F',
  php: '-r -B -R -E -d -f -c -S -t',
  lua: '-e -l',
  make: '-C --directory -f --file --makefile -j --jobs -I -o -W -l --eval -O',
  npm: '--prefix -w --workspace --registry --tag --loglevel --otp --userconfig --cache -C',
  yarn: '--cwd',
  pnpm: '-C --dir --filter -F',
  pip: '-r --requirement -c --constraint -i --index-url --extra-index-url -t --target --prefix --python --cache-dir -f --find-links --proxy --log',
  cargo:
    '-p --package --manifest-path --target --features -F -j --jobs --bin --example --test --bench --profile --target-dir --color --config -Z --registry --index --vers --version --token',
  'apt-get': '-t --target-release -o --option -c --config-file -a',
  apt: '-t --target-release -o --option -c --config-file',
  dnf: '--repo --enablerepo --disablerepo --releasever -c --config --installroot -x --exclude --setopt',
  pacman: '--root --dbpath --config --cachedir --arch --ignore',
  systemctl:
    '-t --type -p --property -H --host -M --machine -s --signal --kill-who -o --output -n --lines --root --state --what',
  journalctl:
    '-u --unit -n --lines -S --since -U --until -p --priority -o --output -t --identifier -D --directory --file -g --grep -F --field --vacuum-size --vacuum-time --vacuum-files -M',
  curl: '-X --request -d --data --data-raw --data-binary --data-urlencode -H --header -o --output -u --user -A --user-agent -e --referer -F --form -T --upload-file -b --cookie -c --cookie-jar -w --write-out -m --max-time --connect-timeout --retry -x --proxy --cacert --cert --key -K --config --resolve --json --url --output-dir -D --dump-header --interface -r --range -z --time-cond --retry-delay -E -Q --quote -C --continue-at -Y -y --unix-socket',
  wget: '-O --output-document -o --output-file -P --directory-prefix -U --user-agent --header --post-data --post-file --method --body-data -e --execute -t --tries -T --timeout -i --input-file -a --append-output --password --user -Q -l --level -A -R -D --limit-rate -w --wait',
  tmux: '-L -S -f -t -s -n -c -F -x -y -e -T',
  screen: '-S -c -p -t -h -T',
  openssl:
    '-in -out -k -pass -passin -passout -keyout -days -subj -config -connect -servername -newkey -CA -CAkey -inkey -certfile -name -K -iv -md',
  iptables:
    '-t --table -p --protocol -s --source -d --destination -j --jump -i --in-interface -o --out-interface -m --match --dport --sport --state --comment',
  useradd: '-c -d -e -f -g -G -k -s -u -b -K -p -R',
  usermod: '-c -d -e -f -g -G -l -p -s -u -R -v -w',
  crontab: '-u -s',
  at: '-f -q -t',
  gh: '--visibility -R --repo --hostname -X --method -f --raw-field -F --field -H --header --input -q --jq -t --template -b --body --title -L --limit -l --label -a --assignee --json -s --state -B --base',
  ansible:
    '-i --inventory -m --module-name -a --args -u --user -l --limit -e --extra-vars -f --forks -t -P -B -M --become-user --private-key --vault-password-file',
  'ansible-playbook':
    '-i --inventory -u --user -l --limit -e --extra-vars -f --forks -t --tags --skip-tags --start-at-task --private-key --vault-password-file -c --connection',
  restic:
    '-r --repo --repository-file -p --password-file --cache-dir --host --tag --path -t --target --keep-last --keep-daily --keep-weekly --keep-monthly -o --option',
  borg: '--repo --rsh --keep-daily --keep-weekly --keep-monthly --keep-last --keep-yearly --keep-within -P --prefix -a --glob-archives --compression -C',
  rclone:
    '--config --filter --include --exclude --transfers --checkers --bwlimit --log-file --max-age --min-age --backup-dir',
  vim: '-c --cmd -S -u -i -w -W -T',
  emacs: '--eval -eval -f --funcall -l --load --script --visit',
  flatpak: '--installation --arch --branch',
  firejail: '--profile',
  bwrap:
    '--bind --ro-bind --dev-bind --bind-try --ro-bind-try --setenv --unsetenv --chdir --symlink --tmpfs --dev --proc --dir --hostname --uid --gid --file --perms --seccomp --cap-add --cap-drop',
  nsenter: '-t --target -S --setuid -G --setgid',
  unshare: '-S --setuid -G --setgid -R --root -w --wd --propagation',
  'systemd-run':
    '-u --unit -p --property -H --host -M --machine --slice --uid --gid --nice --working-directory -E --setenv --on-active --on-calendar --on-boot --description',
  su: '-s --shell -c --command -g --group -G -w -T',
  runuser: '-u --user -s --shell -c --command -g --group -G -w',
  flock: '-c --command -w --wait --timeout -E --conflict-exit-code',
  script: '-c --command -O --log-out -I --log-in -B --log-io -T --log-timing -m -o -E',
  setpriv: '--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig',
  gpg: '-u --local-user -r --recipient -o --output --homedir --keyserver --passphrase --default-key --pinentry-mode',
  patch: '-i --input -d --directory -p --strip -o --output -r --reject-file -F --fuzz -D -B -Y -z -V',
  jq: '--indent -f --from-file -L',
  yq: '-p -o -I --indent',
  ping: '-c -i -W -w -s -I -t',
  nc: '-p -s -w -q -e -c -i -O -X -x',
  ps: '-o --format -p --pid -C -u --user -t --sort -G -g',
  du: '-d --max-depth --exclude -B --block-size -t --threshold',
  df: '-t --type -x --exclude-type -B --output',
  date: '-d --date -f --file -r --reference',
  tree: '-L -I -P -o --filelimit --charset -H -T',
  mkdir: '-m --mode',
  mktemp: '-p --tmpdir --suffix',
  touch: '-d --date -t -r --reference',
  logrotate: '-s --state -l --log -m --mail',
  fallocate: '-l --length -o --offset',
  ip: '-f -n -netns -b -batch -rc -rcvbuf',
};

const SAME: Readonly<Record<string, string>> = {
  podman: 'docker',
  nerdctl: 'docker',
  'docker-compose': 'docker',
  oc: 'kubectl',
  kubectl_: 'kubectl',
  microk8s: 'kubectl',
  k3s: 'kubectl',
  gawk: 'awk',
  mawk: 'awk',
  egrep: 'grep',
  fgrep: 'grep',
  zgrep: 'grep',
  gsed: 'sed',
  mariadb: 'mysql',
  tofu: 'terraform',
  terragrunt: 'terraform',
  gtar: 'tar',
  bsdtar: 'tar',
  fdfind: 'fd',
  ip6tables: 'iptables',
  gmake: 'make',
  bun: 'npm',
  yum: 'dnf',
  microdnf: 'dnf',
  nvim: 'vim',
  vi: 'vim',
  ex: 'vim',
  view: 'vim',
  zcat: 'cat',
  nodejs: 'node',
  pgrep: 'pkill',
  aptitude: 'apt',
  'valkey-cli': 'redis-cli',
  mongo: 'mongosh',
};

/** Programs whose long options start with one dash, so that letters must not be taken apart. */
export const SINGLE_DASH: ReadonlySet<string> = new Set(
  'find terraform tofu terragrunt packer nomad consul vault java javac go openssl ffmpeg ffprobe xrandr xset feh emacs sqlite3 convert magick mogrify identify dsymutil ip tc qemu-img'.split(
    ' ',
  ),
);

function table(): ReadonlyMap<string, ReadonlySet<string>> {
  const out = new Map<string, ReadonlySet<string>>();
  for (const [program, options] of Object.entries(VALUES)) out.set(program, new Set(options.split(' ')));
  for (const [program, like] of Object.entries(SAME)) out.set(program, out.get(like) ?? new Set());
  return out;
}

/** Which options of a program take a value. */
export const OPTION_VALUES: ReadonlyMap<string, ReadonlySet<string>> = table();
