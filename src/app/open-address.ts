/** Shows an address in the user's browser. */
import { spawn } from 'node:child_process';
import { withoutInherited } from '../executor/index.ts';

/**
 * Opens the user's browser, where there is a screen for one; false where there is none. It inherits no terminal: it
 * would keep the user's shell alive, and could type into it.
 */
export function openInBrowser(address: string, env: NodeJS.ProcessEnv): boolean {
  const mac = process.platform === 'darwin';
  if (!mac && !env.DISPLAY && !env.WAYLAND_DISPLAY) return false;
  const [file, ...args] = withoutInherited([mac ? 'open' : 'xdg-open', address]);
  const child = spawn(file, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
  return true;
}
