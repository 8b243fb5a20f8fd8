export { classify, isAffirmation, type Words } from './classify.ts';
export { createPathIndex, knownWords, PathCache, type PathIndex, routeLine } from './path-index.ts';
