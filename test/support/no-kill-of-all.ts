/**
 * A test that looks for a process and finds none may be left with -1, which means every process to a signal: on root's
 * machine, all of them. No test may send one to it, nor to its own group (0) or to init (1).
 */
const { kill } = process;

process.kill = (pid, signal) => {
  if (!Number.isInteger(pid) || Math.abs(pid) <= 1) throw new Error(`a signal to ${pid} is one to more than was meant`);
  return kill.call(process, pid, signal);
};
