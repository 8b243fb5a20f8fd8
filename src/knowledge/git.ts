/**
 * Files of a repository that change what git does, by their path in the repository's own directory; all others are
 * data.
 */
export const GIT_OBEYS: readonly string[] = [
  'config',
  'config.worktree',
  'hooks',
  // The path of the rest of the repository.
  'commondir',
  'gitdir',
  // The repositories of submodules and of other worktrees.
  'modules',
  'worktrees',
  // Remotes and branches in git's former format.
  'remotes',
  'branches',
  // The filters and drivers of each file.
  'info/attributes',
  // Further directories of objects.
  'objects/info/alternates',
  'objects/info/http-alternates',
];

/**
 * Names that make a directory a repository without a `.git` around it; the second set may share its other files with
 * another directory.
 */
export const BARE_REPOSITORY: readonly (readonly string[])[] = [
  ['HEAD', 'objects', 'refs'],
  ['HEAD', 'commondir'],
];
