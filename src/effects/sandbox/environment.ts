/** What of the environment a sandboxed command may see: it can read files, so at least the keys in memory stay out. */
import { mayBeSecretVariable } from '../../knowledge/secret-names.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Ways to reach something outside: agents, buses, displays, remote engines. Sockets are refused anyway. */
const SOCKETS = new Set([
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GPG_AGENT_INFO',
  'GNOME_KEYRING_CONTROL',
  'GNOME_KEYRING_PID',
  'DBUS_SESSION_BUS_ADDRESS',
  'DBUS_SYSTEM_BUS_ADDRESS',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'ICEAUTHORITY',
  'SESSION_MANAGER',
  'DOCKER_HOST',
  'CONTAINER_HOST',
  'KUBECONFIG',
  'TMUX',
  'TMUX_PANE',
  'STY',
  'NOTIFY_SOCKET',
  'LISTEN_FDS',
  'LISTEN_PID',
  'VSCODE_IPC_HOOK_CLI',
  'VSCODE_GIT_IPC_HANDLE',
  'SUDO_ASKPASS',
  'SSH_ASKPASS',
  'GIT_ASKPASS',
]);

/** A value that carries a password whatever its name: `https://user:pass@host`. */
const CREDENTIALS_IN_URL = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^/@\s:]{0,200}:[^/@\s]{1,500}@/i;

function mayPass(name: string, value: string): boolean {
  if (SOCKETS.has(name) || CREDENTIALS_IN_URL.test(value.slice(0, 1000))) return false;
  return !mayBeSecretVariable(name);
}

/**
 * The environment of a sandboxed command: `env` without keys, tokens, passwords and the addresses of agents and buses,
 * with every name for the temporary directory pointing to `tmpDir`. Errs on the side of leaving out.
 */
export function sandboxEnvironment(env: Environment, tmpDir: string): Record<string, string> {
  const kept = Object.entries(env).filter((pair): pair is [string, string] => {
    const [name, value] = pair;
    return value !== undefined && mayPass(name, value);
  });
  return { ...Object.fromEntries(kept), TMPDIR: tmpDir, TMP: tmpDir, TEMP: tmpDir };
}
