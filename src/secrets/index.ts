export { SecretsFilter } from './filter.ts';
export { handlesIn } from './handle.ts';
export { checkSecretsLine } from './probe.ts';
export { type Restored, restoreCommand } from './restore.ts';
export { environmentSources, folderSources, homeSources } from './sources.ts';
