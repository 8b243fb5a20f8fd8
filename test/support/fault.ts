/** Environment under which SIGUSR2 makes the program throw where nobody catches. */
export const FAULT = { NODE_OPTIONS: `--import=${new URL('crash.mjs', import.meta.url).href}` } as const;
