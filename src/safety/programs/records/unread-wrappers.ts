import type { Records } from '../record.ts';

/** Programs that run a command, of whose other options nobody has written down what they do. */
export const UNREAD_WRAPPERS: Records = {
  chroot: { needs: true, unread: true, values: '--userspec --groups', wraps: { skip: 1, session: true } },
  firejail: { unread: true, values: '--profile', wraps: {} },
  bwrap: {
    unread: true,
    values:
      '--bind --ro-bind --dev-bind --bind-try --ro-bind-try --setenv --unsetenv --chdir --symlink --tmpfs --dev --proc --dir --hostname --uid --gid --file --perms --seccomp --cap-add --cap-drop',
    wraps: {
      values:
        '--unsetenv --chdir --tmpfs --dev --proc --dir --hostname --uid --gid --perms --seccomp --cap-add --cap-drop --lock-file --sync-fd --args --size --argv0 --mqueue --info-fd --block-fd --userns',
      pairs:
        '--bind --bind-try --ro-bind --ro-bind-try --dev-bind --dev-bind-try --bind-fd --ro-bind-fd --symlink --setenv --file --bind-data --ro-bind-data --chmod --overlay-src',
    },
  },
  nsenter: { needs: true, unread: true, values: '-t --target -S --setuid -G --setgid', wraps: { session: true } },
  unshare: {
    unread: true,
    values: '-S --setuid -G --setgid -R --root -w --wd --propagation',
    wraps: { session: true },
  },
  'systemd-run': {
    unread: true,
    values:
      '-u --unit -p --property -H --host -M --machine --slice --uid --gid --nice --working-directory -E --setenv --on-active --on-calendar --on-boot --description',
    wraps: {
      values:
        '-u -p -H -M -E --unit --property --slice --uid --gid --nice --working-directory --setenv --on-active --on-calendar --on-boot --description',
    },
  },
  su: {
    needs: true,
    unread: true,
    values: '-s --shell -c --command -g --group -G -w -T',
    wraps: { session: true, values: '-s -g -G -w --shell --group', code: '-c --command', skip: 1, dash: true },
  },
  runuser: {
    unread: true,
    values: '-u --user -s --shell -c --command -g --group -G -w',
    wraps: {
      session: true,
      values: '-u -g -G -s -w --user --group --shell',
      code: '-c --command',
      skip: 0,
      dash: true,
    },
  },
  script: {
    unread: true,
    values: '-c --command -O --log-out -I --log-in -B --log-io -T --log-timing -m -o -E',
    wraps: { values: '-m -o -E -T -I -B -O', code: '-c --command', skip: 99 },
  },
  setpriv: {
    unread: true,
    values: '--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig',
    wraps: { values: '--reuid --regid --groups --inh-caps --ambient-caps --bounding-set' },
  },
  run0: { needs: true, unread: true, wraps: { values: '-u --user -g --group -D --chdir --unit' } },
  'ld.so': { unread: true, wraps: { values: '--library-path --preload --argv0 --audit' } },
  'coproc ts errno fakechroot rlwrap socksify torify aoss lxrun optirun primusrun toybox cross-env with-contenv coreutils dumb-init':
    { unread: true, wraps: {} },
  // `-s`: one word for the shell; without it words, which mean the same joined.
  entr: { unread: true, wraps: { joined: true } },
  repo: { unread: true, wraps: { sub: 'forall', after: '-c', joined: true } },
  proot: { unread: true, wraps: { values: '-r -b -w -q' } },
  pkexec: { needs: true, unread: true, wraps: { values: '--user' } },
  'gosu su-exec setuidgid envdir s6-setuidgid': { unread: true, wraps: { skip: 1 } },
  chpst: { unread: true, wraps: { values: '-u -U -b -/ -C -l -L -n -o -p -f -c -r -t -m -d -s -e' } },
  cgexec: { unread: true, wraps: { values: '-g' } },
  'proxychains proxychains4 dotenv': { unread: true, wraps: { values: '-f' } },
  'arch-chroot': { unread: true, wraps: { values: '-u', skip: 1 } },
  'dbus-launch': { unread: true, wraps: {}, traits: ['printsSetup'] },
  'xvfb-run': { unread: true, wraps: { values: '-s -n -e -w -f --server-args' } },
  sem: { unread: true, wraps: { values: '-j --id' } },
  hyperfine: {
    unread: true,
    wraps: { values: '-w -r -m -M -P -N -n --warmup --runs --export-json --export-markdown', joined: true },
  },
  'dotenvx rye dagger doppler infisical': { unread: true, wraps: { sub: 'run' } },
  'pixi devbox op': { unread: true, wraps: { sub: 'run' }, traits: ['printsSetup'] },
  pnpx: { unread: true, wraps: { values: '--package' } },
  'aws-vault': { unread: true, wraps: { sub: 'exec', skip: 1 }, traits: ['printsSetup'] },
  chamber: { unread: true, wraps: { sub: 'exec', skip: 1 } },
  perf: { unread: true, wraps: { sub: 'stat|record', values: '-e -o -p -C -F -g' } },
  'nix-shell': { unread: true, wraps: { values: '-p -A -I', code: '--run --command' } },
  scl: { unread: true, wraps: { sub: 'enable', skip: 1, joined: true } },
  distrobox: { unread: true, wraps: { sub: 'enter', values: '-n --name' } },
  'docker-machine': {
    unread: true,
    wraps: { sub: 'ssh', skip: 1, joined: true, elsewhere: true },
    traits: ['printsSetup'],
  },
  'lxc-attach': { unread: true, wraps: { values: '-n --name', elsewhere: true } },
  machinectl: { needs: true, unread: true, wraps: { sub: 'shell', skip: 1, elsewhere: true } },
  colima: { unread: true, wraps: { sub: 'ssh', onlyCode: true, skip: 99, remote: 'ssh', elsewhere: true } },
  limactl: { unread: true, wraps: { sub: 'shell', values: '--workdir --shell', skip: 1, elsewhere: true } },
  juju: {
    unread: true,
    wraps: {
      sub: 'ssh|exec|run',
      values: '-m --model --unit --application --machine',
      skip: 1,
      joined: true,
      elsewhere: true,
    },
  },
  eb: {
    unread: true,
    wraps: { sub: 'ssh', code: '-c --command', onlyCode: true, skip: 99, elsewhere: true },
    traits: ['speaks'],
  },
  tsh: {
    needs: true,
    unread: true,
    wraps: {
      sub: 'ssh',
      values: '-l --login --proxy --user --cluster -p --port',
      skip: 1,
      joined: true,
      elsewhere: true,
    },
  },
  wsl: { unread: true, wraps: { values: '-d -u --cd', session: true } },
  rsh: { unread: true, wraps: { values: '-l', skip: 1, joined: true, elsewhere: true } },
  sshpass: { needs: true, unread: true, wraps: { values: '-p -f -d -P' } },
  pdsh: { needs: true, unread: true, wraps: { values: '-w -x -g -R -l', joined: true, elsewhere: true } },
  pssh: { needs: true, unread: true, wraps: { values: '-h -H -l -p -t -o -e -O', joined: true, elsewhere: true } },
  clush: { needs: true, unread: true, wraps: { values: '-w -g -x', joined: true, elsewhere: true } },
  lockrun: { unread: true, wraps: { values: '-L' } },
  nodemon: { unread: true, wraps: { code: '-x --exec' } },
  watchexec: { unread: true, wraps: { values: '-e -w -i -f -r --exts --watch --ignore' } },
  concurrently: { unread: true, wraps: { joined: true, values: '-n -c --names' } },
  sg: { unread: true, wraps: { skip: 1, code: '-c' } },
  newgrp: { unread: true, wraps: { skip: 99 } },
  daemonize: { unread: true, wraps: { values: '-a -c -e -o -p -l -u -E' } },
  tini: { unread: true, wraps: { values: '-p -e' } },
  busybox: { unread: true, wraps: { session: true } },
};
