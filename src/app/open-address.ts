/** Shows an address in the user's browser. */
import { spawn } from 'node:child_process';
import { withoutInherited } from '../executor/index.ts';

/**
 * Opens an address in the user's browser; returns false without a graphical screen. The browser gets no terminal,
 * because it could type into it and would keep the user's shell alive.
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
