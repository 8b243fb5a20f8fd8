/** What others run or obey later, without being told who wrote it: in Project mode it is out of reach, or waits for the user (MO-9). */

/** Names with a dot in any case: some file systems hold `.GIT` for `.git`. */
const PLACES: readonly (readonly [place: RegExp, what: string])[] = [
  [/(^|\/)\.git(\/|$)/i, "is git's own"],
  [/(^|\/)\.(hg\/hgrc|jj\/(repo\/config|workspace-config)\.toml)$/i, 'is obeyed by version control'],
  [
    /(^|\/)(\.(envrc|husky|githooks|vscode|idea|devcontainer|devcontainer\.json|zed|helix|fleet|mise|mise\.toml|autoenv|autoenv\.zsh|exrc|nvimrc|nvim\.lua|vimrc|dir-locals(-2)?\.el|gdbinit|lldbinit|pre-commit-config\.yaml|lefthook(-local)?\.ya?ml|overcommit\.yml)(\/|$)|mise\.toml$|lefthook(-local)?\.ya?ml$|[^/]+\.(code-workspace|sublime-project)$)/i,
    'is run by shells and editors',
  ],
  [/(^|\/)\.(npmrc|yarnrc(\.yml)?|pnpmfile\.cjs)$/i, 'is obeyed by package managers'],
  [
    /(^|\/)\.(claude|codex|cursor|gemini|opencode|windsurf|agents?|aider\.conf\.yml|amazonq|augment|cline|continue|crush|crush\.json|factory|goosehints|junie|kilocode|kiro|qwen|roo|roorules|roomodes|trae|mcp\.json|aish\.jsonc|cursorrules|clinerules|windsurfrules)(\/|$)/i,
    'is obeyed by agents',
  ],
  [
    /(^|\/)((AGENTS|CLAUDE|GEMINI|CRUSH|QWEN)(\.local|\.override)?\.md$|(opencode\.jsonc?|crush\.json|mcp\.json)$|\.github\/(copilot-instructions\.md$|(instructions|prompts|chatmodes|agents)(\/|$)))/,
    'is obeyed by agents',
  ],
  [
    /^(\.(github|forgejo|gitea)\/(workflows|actions)(\/|$)|\.gitlab-ci\.yml$|\.(circleci|gitlab|woodpecker|buildkite|semaphore|teamcity|tekton|builds|azure-pipelines)(\/|$)|Jenkinsfile$|\.travis\.yml$|azure-pipelines\.yml$|bitbucket-pipelines\.yml$|\.drone\.yml$|\.woodpecker\.ya?ml$|\.cirrus\.(yml|star)$|\.?appveyor\.yml$|\.build\.yml$|buildspec\.ya?ml$|cloudbuild\.ya?ml$)/i,
    'is run by the CI',
  ],
];

/** What a path below a project's tree is to others, as a predicate; undefined for an ordinary file. */
export function runsLater(inside: string): string | undefined {
  return PLACES.find(([place]) => place.test(inside))?.[1];
}
