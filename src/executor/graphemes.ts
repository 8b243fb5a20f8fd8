/** How wide characters are in the terminal model: the addon, loaded where it finds its table. */
import graphemes from '@xterm/addon-unicode-graphemes';

/**
 * Imported right before `@xterm/addon-unicode-graphemes`, which unpacks its table when it is loaded and takes it to lie
 * at the beginning of its memory. In Node's shared pool it rarely does: then the widths are wrong, or loading never
 * ends (seen in two of three starts under Node 22.12). Without a pool every buffer has memory of its own.
 */
const POOL_SIZE = Buffer.poolSize;
Buffer.poolSize = 0;

Buffer.poolSize = POOL_SIZE;

export const { UnicodeGraphemesAddon } = graphemes;
