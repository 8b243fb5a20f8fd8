/**
 * A file of its own because imports run before everything else in a module.
 * Imported right before `@xterm/addon-unicode-graphemes`, which unpacks its table when it is loaded and takes it to lie
 * at the beginning of its memory. In Node's shared pool it rarely does: then the widths are wrong, or loading never
 * ends (seen in two of three starts under Node 22.12). Without a pool every buffer has memory of its own.
 */
export const POOL_SIZE = Buffer.poolSize;
Buffer.poolSize = 0;
