// Loaded into the program by a test (NODE_OPTIONS=--import): pauses between two attempts take a hundredth of their time.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const really = timers.setTimeout;
timers.setTimeout = (ms, ...rest) => really(ms / 100, ...rest);
syncBuiltinESMExports();
