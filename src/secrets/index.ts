export { checkSecretsLine, SecretsFilter } from './filter.ts';
export { type Restored, restoreCommand } from './restore.ts';
export { environmentSources, folderSources, homeSources } from './sources.ts';
export { handlesIn } from './vault.ts';
