export { classify, isAffirmation, type Words } from './classify.ts';
export { PathCache } from './path-cache.ts';
export { createPathIndex, type PathIndex } from './path-index.ts';
export { knownWords, routeLine } from './probe.ts';
