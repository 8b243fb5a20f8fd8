/**
 * What would be lost (HA-5), in short lines for the HALT; empty where that can't be found out by reading. Never
 * changes anything, and takes at most about 300 ms.
 */
export async function stakeOf(command: string, cwd: string): Promise<readonly string[]> {
  return command === '' || cwd === '' ? [] : [];
}
