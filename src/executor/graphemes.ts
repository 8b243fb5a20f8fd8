/**
 * The addon for character widths in the terminal model. It loads its table correctly only without Node's buffer pool.
 */
import './unpooled.ts';
// Keep these imports adjacent: no other module may load while the pool is off.
import graphemes from '@xterm/addon-unicode-graphemes';
import { POOL_SIZE } from './unpooled.ts';

Buffer.poolSize = POOL_SIZE;

export const { UnicodeGraphemesAddon } = graphemes;
