/** How a wrapper's own arguments end and the command it runs begins. */
export type Wrapper = {
  /** Its options that take a value. */
  readonly values?: string;
  /** Operands of its own before the command (`timeout 5 cmd`). */
  readonly skip?: number;
  /** A subcommand that must come first (`poetry run cmd`); otherwise the tables judge. */
  readonly sub?: string;
  /** Options whose value is shell code. */
  readonly code?: string;
  /** The remaining words are joined and given to a shell. */
  readonly joined?: boolean;
  /** Like `joined`, but several words stay the words they are (`heroku run bash -c 'x y'`). */
  readonly joinedAlone?: boolean;
  /** Its options that take two values. */
  readonly pairs?: string;
  /** Options after which all words are the command. */
  readonly after?: string;
  /** With this subcommand the words after `--` go to a shell elsewhere (`gcloud compute ssh vm -- cmd`). */
  readonly remote?: string;
  /** The command is a subcommand of this program (`terragrunt run-all destroy`). */
  readonly as?: string;
  /** Without such an option it is no wrapper. */
  readonly onlyCode?: boolean;
  /** Options that mean: nothing is run. */
  readonly idle?: string;
  /** The command runs on another machine. */
  readonly elsewhere?: boolean;
  /** A lone dash is an option (`su -`). */
  readonly dash?: boolean;
};

/** Programs that run a command given in their arguments. */
export const WRAPPER_ROWS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    values: '-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --role --type --chroot',
    idle: '-l -v -k -K -V --list --validate',
  },
  doas: { values: '-u -C' },
  run0: { values: '-u --user -g --group -D --chdir --unit' },
  nice: { values: '-n --adjustment' },
  ionice: { values: '-c -n --class --classdata', idle: '-p' },
  chrt: { skip: 1, idle: '-p -m' },
  taskset: { skip: 1, idle: '-p' },
  nohup: {},
  'ld.so': { values: '--library-path --preload --argv0 --audit' },
  setsid: {},
  timeout: { values: '-s -k --signal --kill-after', skip: 1 },
  gtimeout: { values: '-s -k', skip: 1 },
  time: { values: '-f -o --format --output' },
  stdbuf: { values: '-i -o -e --input --output --error' },
  unbuffer: {},
  command: { idle: '-v -V' },
  builtin: {},
  exec: { values: '-a' },
  coproc: {},
  noglob: {},
  nocorrect: {},
  caffeinate: { values: '-t -w' },
  chronic: {},
  ts: {},
  errno: {},
  faketime: { skip: 1 },
  fakeroot: {},
  fakechroot: {},
  proot: { values: '-r -b -w -q' },
  pkexec: { values: '--user' },
  gosu: { skip: 1 },
  'su-exec': { skip: 1 },
  setuidgid: { skip: 1 },
  chpst: { values: '-u -U -b -/ -C -l -L -n -o -p -f -c -r -t -m -d -s -e' },
  setpriv: { values: '--reuid --regid --groups --inh-caps --ambient-caps --bounding-set' },
  prlimit: { values: '-p --pid', idle: '-p' },
  cgexec: { values: '-g' },
  numactl: { values: '-C -m -N -i -p', idle: '-H -s --hardware --show' },
  setarch: { skip: 1 },
  linux32: {},
  linux64: {},
  strace: { values: '-e -o -s -u -E -a -I -O -S -X', idle: '-p' },
  ltrace: { values: '-e -o -s -u -a -l -n', idle: '-p' },
  valgrind: {},
  catchsegv: {},
  rlwrap: {},
  socksify: {},
  torsocks: {},
  torify: {},
  proxychains: { values: '-f' },
  proxychains4: { values: '-f' },
  firejail: { values: '--profile' },
  bwrap: {
    values:
      '--unsetenv --chdir --tmpfs --dev --proc --dir --hostname --uid --gid --perms --seccomp --cap-add --cap-drop --lock-file --sync-fd --args --size --argv0 --mqueue --info-fd --block-fd --userns',
    pairs:
      '--bind --bind-try --ro-bind --ro-bind-try --dev-bind --dev-bind-try --bind-fd --ro-bind-fd --symlink --setenv --file --bind-data --ro-bind-data --chmod --overlay-src',
  },
  unshare: { values: '-S -G -R -w --setuid --setgid --root --wd --propagation' },
  nsenter: { values: '-t -S -G --target --setuid --setgid' },
  chroot: { values: '--userspec --groups', skip: 1 },
  'arch-chroot': { values: '-u', skip: 1 },
  'systemd-run': {
    values:
      '-u -p -H -M -E --unit --property --slice --uid --gid --nice --working-directory --setenv --on-active --on-calendar --on-boot --description',
  },
  'systemd-inhibit': { values: '' },
  'dbus-run-session': {},
  'dbus-launch': {},
  'xvfb-run': { values: '-s -n -e -w -f --server-args' },
  'ssh-agent': { idle: '-k -s -c' },
  sem: { values: '-j --id' },
  lxrun: {},
  aoss: {},
  optirun: {},
  primusrun: {},
  'toolbox run': {},
  toybox: {},
  busybox: {},
  hyperfine: { values: '-w -r -m -M -P -N -n --warmup --runs --export-json --export-markdown', joined: true },
  watch: { values: '-n --interval -q', joined: true },
  entr: {},
  dotenv: { values: '-f' },
  dotenvx: { sub: 'run' },
  'cross-env': {},
  envdir: { skip: 1 },
  'with-contenv': {},
  direnv: { sub: 'exec', skip: 1 },
  poetry: { sub: 'run' },
  pipenv: { sub: 'run' },
  uv: { sub: 'run', values: '--with --python -p --extra --group --env-file --project --directory' },
  rye: { sub: 'run' },
  hatch: { sub: 'run' },
  pdm: { sub: 'run' },
  pixi: { sub: 'run' },
  conda: { sub: 'run', values: '-n --name -p --prefix --cwd' },
  mamba: { sub: 'run', values: '-n --name -p --prefix --cwd' },
  bundle: { sub: 'exec' },
  rbenv: { sub: 'exec' },
  pyenv: { sub: 'exec' },
  mise: { sub: 'exec|x' },
  asdf: { sub: 'exec', skip: 1 },
  devbox: { sub: 'run' },
  volta: { sub: 'run' },
  fnm: { sub: 'exec' },
  dagger: { sub: 'run' },
  npx: { values: '-p --package -w --workspace --prefix', code: '-c --call' },
  bunx: { values: '-p --package' },
  pnpx: { values: '--package' },
  npm: { sub: 'exec|x', values: '-p --package -w --workspace --prefix', code: '-c --call' },
  pnpm: { sub: 'exec|dlx', values: '-C --dir --filter -F --package', code: '-c --shell-mode' },
  yarn: { sub: 'exec|dlx', values: '--cwd -p --package' },
  coreutils: {},
  arch: { values: '-arch -e -d' },
  terraform: { sub: 'run-all|run|stack', as: 'terraform', values: '-chdir --working-dir --terragrunt-working-dir' },
  'aws-vault': { sub: 'exec', skip: 1 },
  op: { sub: 'run' },
  doppler: { sub: 'run' },
  infisical: { sub: 'run' },
  chamber: { sub: 'exec', skip: 1 },
  perf: { sub: 'stat|record', values: '-e -o -p -C -F -g' },
  'nix-shell': { values: '-p -A -I', code: '--run --command' },
  nix: { sub: 'shell|develop', after: '-c --command', onlyCode: true, skip: 99 },
  scl: { sub: 'enable', skip: 1, joined: true },
  distrobox: { sub: 'enter', values: '-n --name' },
  'docker-machine': { sub: 'ssh', skip: 1, joined: true, elsewhere: true },
  multipass: { sub: 'exec', skip: 1, elsewhere: true },
  lxc: { sub: 'exec', skip: 1, elsewhere: true },
  incus: { sub: 'exec', skip: 1, elsewhere: true },
  'lxc-attach': { values: '-n --name', elsewhere: true },
  machinectl: { sub: 'shell', skip: 1, elsewhere: true },
  vagrant: { sub: 'ssh', code: '-c --command', onlyCode: true, skip: 99, remote: 'ssh', elsewhere: true },
  adb: { sub: 'shell', values: '-s', joined: true, elsewhere: true },
  heroku: {
    sub: 'run|run:detached',
    values: '-a --app -s --size -e --env -r --remote',
    joinedAlone: true,
    elsewhere: true,
  },
  fly: { sub: 'ssh', code: '-C --command', onlyCode: true, skip: 99, elsewhere: true },
  flyctl: { sub: 'ssh', code: '-C --command', onlyCode: true, skip: 99, elsewhere: true },
  gcloud: { code: '--command', onlyCode: true, skip: 99, remote: 'ssh', elsewhere: true },
  doctl: { code: '--ssh-command', onlyCode: true, skip: 99, elsewhere: true },
  colima: { sub: 'ssh', onlyCode: true, skip: 99, remote: 'ssh', elsewhere: true },
  minikube: { sub: 'ssh', values: '-n --node -p --profile', joined: true, elsewhere: true },
  limactl: { sub: 'shell', values: '--workdir --shell', skip: 1, elsewhere: true },
  juju: {
    sub: 'ssh|exec|run',
    values: '-m --model --unit --application --machine',
    skip: 1,
    joined: true,
    elsewhere: true,
  },
  eb: { sub: 'ssh', code: '-c --command', onlyCode: true, skip: 99, elsewhere: true },
  tsh: { sub: 'ssh', values: '-l --login --proxy --user --cluster -p --port', skip: 1, joined: true, elsewhere: true },
  wsl: { values: '-d -u --cd' },
  mosh: { skip: 1, joined: true, elsewhere: true },
  rsh: { values: '-l', skip: 1, joined: true, elsewhere: true },
  sshpass: { values: '-p -f -d -P' },
  autossh: {
    values: '-M -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w',
    skip: 1,
    joined: true,
    elsewhere: true,
  },
  ssh: {
    values: '-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w',
    skip: 1,
    joined: true,
    elsewhere: true,
  },
  pdsh: { values: '-w -x -g -R -l', joined: true, elsewhere: true },
  pssh: { values: '-h -H -l -p -t -o -e -O', joined: true, elsewhere: true },
  clush: { values: '-w -g -x', joined: true, elsewhere: true },
  su: { values: '-s -g -G -w --shell --group', code: '-c --command', skip: 1, dash: true },
  runuser: { values: '-u -g -G -s -w --user --group --shell', code: '-c --command', skip: 0, dash: true },
  script: { values: '-m -o -E -T -I -B -O', code: '-c --command', skip: 99 },
  flock: { values: '-w -E --timeout --wait --conflict-exit-code', code: '-c --command', skip: 1 },
  lockrun: { values: '-L' },
  nodemon: { code: '-x --exec' },
  watchexec: { values: '-e -w -i -f -r --exts --watch --ignore' },
  concurrently: { joined: true, values: '-n -c --names' },
  expect: { code: '' },
  tcpdump: { values: '-i -w -r -c -s -C -G -W -V -F -E -D -B -Z', code: '-z', skip: 99 },
  ionotify: {},
  sg: { skip: 1, code: '-c' },
  newgrp: { skip: 99 },
  daemonize: { values: '-a -c -e -o -p -l -u -E' },
  's6-setuidgid': { skip: 1 },
  tini: { values: '-p -e' },
  'dumb-init': {},
};
