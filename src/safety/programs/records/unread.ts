import type { Records } from '../record.ts';

/** Programs of which only a little is known: enough for the rows that name them, never for a proof. */
export const UNREAD: Records = {
  'umount reboot halt poweroff userdel mkfs': { unread: true, needs: true },
  erl: { unread: true, singleDash: true, code: /^-eval$/ },
  racket: { unread: true, code: /^(-e|--eval)$/ },
  parallel: {
    unread: true,
    values:
      '-j --jobs -I --colsep -S --sshlogin -a --arg-file --joblog --results --delay --timeout -N -n --tmpdir --workdir -d --delimiter --retries --load --tagstring',
    dryRun: '--dry-run --dryrun',
  },
  killall: { unread: true, values: '-s --signal -u --user -y -o' },
  useradd: { needs: true, unread: true, values: '-c -d -e -f -g -G -k -s -u -b -K -p -R' },
  usermod: { needs: true, unread: true, values: '-c -d -e -f -g -G -l -p -s -u -R -v -w' },
  at: { needs: true, unread: true, values: '-f -q -t' },
  zypper: { needs: true, unread: true, dryRun: '-D --dry-run' },
  shutdown: { needs: true, unread: true, dryRun: '-k' },
  sgdisk: { needs: true, unread: true, dryRun: '-p --print -P --pretend -i -v' },
  'mkfs.xfs fsck': { unread: true, dryRun: '-N' },
  'tmpreaper tmpwatch': { unread: true, dryRun: '-t --test' },
  p4: { unread: true, dryRun: '-n' },
  'ed ex': { touches: 'changes', code: 'text', unread: true },
  'socat telnet mail mailx sendmail mutt ftp': {
    needs: true,
    unread: true,
    traits: ['sends'],
  },
  sftp: { needs: true, unread: true, traits: ['sends', 'namesOnly'] },
  fzf: { unread: true, traits: ['printsSetup'] },
  'grunt gulp': { unread: true, traits: ['runsProject'] },
};
