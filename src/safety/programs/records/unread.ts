import type { Records } from '../record.ts';

/** Programs of which only a little is known: enough for the rows that name them, never for a proof. */
export const UNREAD: Records = {
  erl: { unread: true, singleDash: true, code: /^-eval$/ },
  racket: { unread: true, code: /^(-e|--eval)$/ },
  parallel: {
    unread: true,
    values:
      '-j --jobs -I --colsep -S --sshlogin -a --arg-file --joblog --results --delay --timeout -N -n --tmpdir --workdir -d --delimiter --retries --load --tagstring',
    dryRun: '--dry-run --dryrun',
  },
  killall: { unread: true, values: '-s --signal -u --user -y -o' },
  useradd: { unread: true, values: '-c -d -e -f -g -G -k -s -u -b -K -p -R' },
  usermod: { unread: true, values: '-c -d -e -f -g -G -l -p -s -u -R -v -w' },
  at: { unread: true, values: '-f -q -t' },
  zypper: { unread: true, dryRun: '-D --dry-run' },
  shutdown: { unread: true, dryRun: '-k' },
  sgdisk: { unread: true, dryRun: '-p --print -P --pretend -i -v' },
  'mkfs.xfs fsck': { unread: true, dryRun: '-N' },
  'tmpreaper tmpwatch': { unread: true, dryRun: '-t --test' },
  p4: { unread: true, dryRun: '-n' },
  'socat telnet mail mailx sendmail mutt ftp': {
    unread: true,
    traits: ['sends'],
  },
  sftp: { unread: true, traits: ['sends', 'namesOnly'] },
  fzf: { unread: true, traits: ['printsSetup'] },
  'grunt gulp': { unread: true, traits: ['runsProject'] },
};
