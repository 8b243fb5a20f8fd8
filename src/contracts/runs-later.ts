/** What others run or obey later, without being told who wrote it: in Project mode it is out of reach, or waits for the user (MO-9). */

const PLACES: readonly (readonly [place: RegExp, what: string])[] = [
  [/(^|\/)\.git(\/|$)/, "is git's own"],
  [/(^|\/)\.(envrc|husky|vscode|idea|devcontainer)(\/|$)/, 'is run by shells and editors'],
  [/(^|\/)\.(npmrc|yarnrc(\.yml)?|pnpmfile\.cjs)$/, 'is obeyed by package managers'],
  [
    /(^|\/)(\.(claude|codex|cursor|gemini|opencode|windsurf|mcp\.json|aish\.jsonc|cursorrules|clinerules|windsurfrules)(\/|$)|(AGENTS|CLAUDE|GEMINI)(\.local|\.override)?\.md$|\.github\/copilot-instructions\.md$)/,
    'is obeyed by agents',
  ],
  [
    /^(\.github\/(workflows|actions)(\/|$)|\.gitlab-ci\.yml$|\.circleci(\/|$)|Jenkinsfile$|\.travis\.yml$|azure-pipelines\.yml$|bitbucket-pipelines\.yml$|\.drone\.yml$)/,
    'is run by the CI',
  ],
];

/** What a path below a project's tree is to others, as a predicate; undefined for an ordinary file. */
export function runsLater(inside: string): string | undefined {
  return PLACES.find(([place]) => place.test(inside))?.[1];
}
