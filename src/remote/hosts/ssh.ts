/** How ssh is called. Only the master reads the user's configuration; all else goes over its socket, and never past it. */

/** Time limits of the master's own sign of life: a host that is gone is noticed within ten seconds. */
const ALIVE = ['-o', 'ServerAliveInterval=3', '-o', 'ServerAliveCountMax=2'];

/** Names that ssh knows: no option, no path, no port. */
const NAME = /^[A-Za-z0-9_][\w.@%+-]{0,250}$/;

/** Whether this may name a host. */
export function isHostName(name: string): boolean {
  return NAME.test(name);
}

/** The one connection to a host, in the foreground of a terminal where it asks its questions, and with which it ends. */
export function masterArgv(socket: string, host: string): readonly string[] {
  const own = ['ControlPersist=no', 'RemoteCommand=none', 'RequestTTY=no'].flatMap((option) => ['-o', option]);
  return ['ssh', '-S', socket, '-M', '-N', ...own, ...ALIVE, '--', host];
}

/**
 * Without the configuration the socket alone decides the host; and where it leads nowhere, or takes no further session,
 * ssh must not connect by itself.
 */
const OVER = ['-F', 'none', '-o', 'ProxyCommand=false', '-o', 'ControlMaster=no'];

/** A session of that connection. @param command passes the login shell there: plain words only */
export function sessionArgv(socket: string, command: string, terminal: boolean): readonly string[] {
  return [
    'ssh',
    ...OVER,
    '-S',
    socket,
    ...(terminal ? ['-tt', '-e', 'none', '-o', 'LogLevel=QUIET'] : ['-T']),
    '--',
    'x',
    command,
  ];
}

/** A word to the master itself. */
export function controlArgv(socket: string, word: 'check' | 'exit'): readonly string[] {
  return ['ssh', ...OVER, '-S', socket, '-O', word, 'x'];
}
