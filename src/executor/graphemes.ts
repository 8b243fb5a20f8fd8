/** How wide characters are in the terminal model: the addon, loaded where it finds its table. */
import './unpooled.ts';
// Nothing may come between.
import graphemes from '@xterm/addon-unicode-graphemes';
import { POOL_SIZE } from './unpooled.ts';

Buffer.poolSize = POOL_SIZE;

export const { UnicodeGraphemesAddon } = graphemes;
