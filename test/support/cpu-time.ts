/** Milliseconds of processor time that `work` takes in this thread: unlike the clock, no matter what else the machine does. */
export function cpuMilliseconds(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
