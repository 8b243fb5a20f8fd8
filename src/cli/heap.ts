import { setFlagsFromString } from 'node:v8';

/** By how many percent the heap may grow between two clean-ups. */
const GROWTH_PERCENT = 30;

/**
 * From here on V8's room for young garbage stays as large as it is, and the heap grows in small steps: by itself V8 would
 * take many times that in a flood, and go on growing in a long run. Called once the program's first pieces are loaded: by
 * then the room is some 2 MB. As arguments of Node both would slow its start: it compiles anew what it has compiled with
 * other settings, its own modules among it.
 */
export function boundHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
