/** How long the event loop is held up while something goes on, beside reading 50 MB of JSON in one go. */

/** Of this thread alone, where Node tells. */
const used: typeof process.cpuUsage = (before) => (process.threadCpuUsage ?? process.cpuUsage)(before);

const ROUNDS = 3;

/** 50 MB of lines. */
export const LONG_TEXT = `${'0123456789abcdef'.repeat(64)}\n`.repeat(50 * 1024);

/**
 * By the processor's time of each turn, in ms: a busy machine makes none of them longer. The best of a few rounds, since a
 * clean-up of memory may fall into any turn; what is done in one go is in all of them.
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
