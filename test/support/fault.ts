/** Environment under which SIGUSR2 makes the program throw where nobody catches. */
export const FAULT = { NODE_OPTIONS: `--import=${new URL('crash.mjs', import.meta.url).href}` } as const;

/** Has the program wait a hundredth of its pauses between attempts at a model's server. */
export const BRISK = { NODE_OPTIONS: `--import=${new URL('brisk.mjs', import.meta.url).href}` } as const;
