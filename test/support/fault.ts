/** The environment in which SIGUSR2 makes the program throw an uncaught error. */
export const FAULT = { NODE_OPTIONS: `--import=${new URL('crash.mjs', import.meta.url).href}` } as const;

/** Makes the program's pauses between attempts at a model's server a hundred times shorter. */
export const BRISK = { NODE_OPTIONS: `--import=${new URL('brisk.mjs', import.meta.url).href}` } as const;
