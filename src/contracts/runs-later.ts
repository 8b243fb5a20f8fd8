/** What others run or obey later, without being told who wrote it: in Project mode it is out of reach, or waits for the user (MO-9). */

const PLACES: readonly (readonly [place: RegExp, what: string])[] = [
  [/(^|\/)\.git(\/|$)/, "is git's own"],
  [/(^|\/)\.(envrc|husky|vscode|idea|devcontainer)(\/|$)/, 'is run by shells and editors'],
  [
    /(^|\/)(\.(claude|codex|cursor|gemini|mcp\.json|aish\.jsonc)(\/|$)|(AGENTS|CLAUDE|GEMINI)\.md$)/,
    'is obeyed by agents',
  ],
  [/^(\.github\/workflows\/|\.gitlab-ci\.yml$|\.circleci\/|Jenkinsfile$|\.travis\.yml$)/, 'is run by the CI'],
];

/** What a path below a project's tree is to others, as a predicate; undefined for an ordinary file. */
export function runsLater(inside: string): string | undefined {
  return PLACES.find(([place]) => place.test(inside))?.[1];
}
