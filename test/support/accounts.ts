/** Throwaway accounts of this machine, for root only. */
import { execFileSync } from 'node:child_process';

let users = 0;

/** Makes an account with this login shell and a home below `/home`; returns its name. */
export function addUser(shell: string): string {
  users += 1;
  const user = `aish${process.pid}x${users}`;
  execFileSync('/bin/sh', ['-c', `useradd -m -s ${shell} ${user} && usermod -p '*' ${user}`]);
  return user;
}

/** Removes the account with its home, and ends its processes. */
export function removeUser(user: string): void {
  execFileSync('/bin/sh', ['-c', `pkill -KILL -u ${user}; userdel -rf ${user} 2>/dev/null; true`]);
}
