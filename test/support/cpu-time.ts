/**
 * Returns the milliseconds of processor time that `work` takes in this thread; unlike the clock, other load does not
 * matter.
 */
export function cpuMilliseconds(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
