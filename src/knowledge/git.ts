/** What git obeys of a repository, by its path in the repository's own directory; the rest of it is data. */
export const GIT_OBEYS: readonly string[] = [
  'config',
  'config.worktree',
  'hooks',
  // Where the rest of the repository is.
  'commondir',
  'gitdir',
  // The repositories of submodules and of other worktrees.
  'modules',
  'worktrees',
  // Remotes and branches as git kept them once.
  'remotes',
  'branches',
  // Which filters and drivers a file is given to.
  'info/attributes',
  // Where else objects come from.
  'objects/info/alternates',
  'objects/info/http-alternates',
];

/**
 * What makes a directory a repository without a `.git` around it; the second may share the rest with another directory.
 */
export const BARE_REPOSITORY: readonly (readonly string[])[] = [
  ['HEAD', 'objects', 'refs'],
  ['HEAD', 'commondir'],
];
