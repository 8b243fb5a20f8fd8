/** How long the event loop is blocked during some work, compared with parsing 50 MB of JSON at once. */

/** Returns the processor time of this thread alone, where Node reports it. */
const used: typeof process.cpuUsage = (before) => (process.threadCpuUsage ?? process.cpuUsage)(before);

const ROUNDS = 3;

/** A text of 50 MB in lines. */
export const LONG_TEXT = `${'0123456789abcdef'.repeat(64)}\n`.repeat(50 * 1024);

/**
 * Returns the longest turn in ms of processor time, which load does not lengthen. It takes the shortest result of a few
 * rounds, since a garbage collection may fall into any turn, whereas blocking work is in all of them.
 */
export async function longestTurn(run: () => Promise<unknown>): Promise<{ whole: number; longest: number }> {
  const message = Buffer.from(JSON.stringify(LONG_TEXT));
  const begun = used();
  JSON.parse(message.toString('utf8'));
  const whole = used(begun);
  const longest: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    let [turns, most, over] = [0, 0, false];
    const look = () => {
      const before = used();
      setImmediate(() => {
        const { user, system } = used(before);
        turns += 1;
        most = Math.max(most, (user + system) / 1000);
        if (!over) look();
      });
    };
    look();
    await run();
    over = true;
    if (turns <= 100) throw new Error(`only ${turns} turns of the event loop`);
    longest.push(most);
  }
  return { whole: (whole.user + whole.system) / 1000, longest: Math.min(...longest) };
}
