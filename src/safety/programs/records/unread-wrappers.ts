import type { Records } from '../record.ts';

/** Programs that run a command, of whose other options nobody has written down what they do. */
export const UNREAD_WRAPPERS: Records = {
  chroot: { unread: true, values: '--userspec --groups', wraps: { skip: 1, session: true } },
  nsenter: { unread: true, values: '-t --target -S --setuid -G --setgid', wraps: { session: true } },
  su: {
    unread: true,
    values: '-s --shell -c --command -g --group -G -w -T',
    wraps: { session: true, values: '-s -g -G -w --shell --group', code: '-c --command', skip: 1, dash: true },
  },
  pkexec: { unread: true, wraps: { values: '--user' } },
  sshpass: { unread: true, wraps: { values: '-p -f -d -P' } },
  busybox: { unread: true, wraps: { session: true } },
};
