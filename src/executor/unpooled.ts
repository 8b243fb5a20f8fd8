/**
 * A separate file because imports run before everything else in a module.
 * Import it right before `@xterm/addon-unicode-graphemes`, which assumes that its unpacked table starts at the
 * beginning of its memory. In Node's shared pool it rarely does: then widths are wrong, or loading never ends (seen
 * in two of three starts under Node 22.12). Without a pool every buffer has its own memory.
 */
export const POOL_SIZE = Buffer.poolSize;
Buffer.poolSize = 0;
