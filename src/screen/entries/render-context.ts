import type { Paint } from '../../render/paint.ts';
import type { Theme } from '../../render/theme.ts';

/** What drawing an entry needs to know: the columns it has, and how things are coloured. */
export type RenderContext = { readonly width: number; readonly paint: Paint; readonly theme: Theme };
