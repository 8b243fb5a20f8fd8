/** What others run or obey later, without being told who wrote it: in Project mode it is out of reach, or waits for the user (MO-9). */

type Names = {
  /** Names at the end of a path, directories with all that is in them. */
  readonly at: RegExp;
  /** Directories on the way to names of several parts. */
  readonly above: RegExp;
  /** How many parts the longest of these names has. */
  readonly parts: number;
  /** Does each of them begin with a dot? */
  readonly hidden: boolean;
};

/** A slash between two parts of a name; not one of a class of characters. */
const BETWEEN_PARTS = /\/(?!\])/;

/** Alternatives hold no slash. In any case: some file systems hold `.GIT` for `.git`. */
function names(text: string, start = '(^|/)'): Names {
  const all = text.trim().split(/\s+/);
  const above = all.flatMap((name) => {
    const parts = name.split(BETWEEN_PARTS);
    return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
  });
  return {
    at: new RegExp(`${start}(${all.join('|')})(/|$)`, 'i'),
    above: above.length === 0 ? /(?!)/ : new RegExp(`${start}(${[...new Set(above)].join('|')})$`, 'i'),
    parts: Math.max(...all.map((name) => name.split(BETWEEN_PARTS).length)),
    hidden: all.every(beginsWithDot),
  };
}

/** Does what an expression matches begin with a dot? */
export function beginsWithDot(expression: string): boolean {
  return /^\\\.(?![?*{])/.test(expression);
}

/** Does some name on the way begin with a dot? Few do, and no other need be looked for in long lists of such names. */
export function hasHiddenName(path: string): boolean {
  return path.startsWith('.') || path.includes('/.');
}

/** Names that begin with a dot apart from the others. */
function byDot(text: string): readonly Names[] {
  const all = text.trim().split(/\s+/);
  return [all.filter(beginsWithDot), all.filter((name) => !beginsWithDot(name))].flatMap((some) =>
    some.length === 0 ? [] : [names(some.join(' '))],
  );
}

function isAt({ at, hidden }: Names, path: string, hasHidden: boolean): boolean {
  return (hasHidden || !hidden) && at.test(path);
}

const SHELLS = names(String.raw`
  \.(bash|zsh|ksh|mksh|csh|tcsh|xonsh)rc(\.d)? \.bash_(profile|login|logout|aliases|enter|leave|exit) \.profile(\.d)? \.z(shenv|profile|login|logout)
  \.login \.logout \.inputrc \.config/(fish|nushell|bash|zsh|elvish|direnv) \.config/starship\.toml \.oh-my-zsh \.bash_completion(\.d)?
  \.config/(autostart|systemd|environment\.d|plasma[^/]*|i3|sway|hypr|openbox|awesome|kitty|alacritty|wezterm|xfce4|lxsession)
  \.xinitrc \.xsession \.xprofile \.Xresources \.pam_environment \.local/bin \.local/share/(applications|dbus-1|systemd|nautilus|bash-completion|zsh|fish|kservices5)
  \.ssh \.gnupg \.gitconfig \.config/git \.curlrc \.wgetrc \.psqlrc \.sqliterc \.my\.cnf \.mongorc\.js \.lesskey \.lessfilter \.mailcap \.procmailrc
  \.forward \.rhosts \.shosts \.terraformrc \.tmux\.conf \.screenrc \.ondirrc \.shadowenv\.d \.in \.out
`);

const LANGUAGES = names(String.raw`
  \.(irb|pry|gem|pdb|perl|php|octave|byebug|rdbg|radare2|clisp|guile|dbx|sage)(rc)(\.py)? \.(iex|iex\.local)\.exs \.erlang \.guile \.sageinit \.Rprofile \.Renviron \.pythonrc(\.py)? \.pythonstartup \.ghci \.ocamlinit \.sbclrc \.perldb \.julia/config
  \.gdbinit \.lldbinit \.rspec \.proverc \.ghc\.environment\.[^/]+ \.jupyter
`);

/** What Python and those that build on it load wherever they find it. */
const LOADED = names(String.raw`
  (site|user)customize(\.[^/]+)? (ipython|jupyter)(_\w+)?_config\.(py|json) \.?venv/(bin|scripts)/(activate|python)[^/]* pyvenv\.cfg
`);

const EDITORS = byDot(String.raw`
  \.envrc(\.local)? \.direnvrc \.husky \.huskyrc[^/]* \.git-?hooks \.vscode \.vs \.idea \.devcontainer \.devcontainer\.json \.zed \.helix \.fleet \.nova \.lapce \.settings \.project \.run/[^/]+\.run\.xml
  \.mise(\.[^/]+)? mise(\.[^/]+)?\.toml mise/config(\.[^/]+)?\.toml \.rtx\.toml \.tool-versions \.sdkmanrc \.autoenv(_leave)?(\.zsh)?
  rust-toolchain(\.toml)? (flake|shell|devenv)\.nix devenv\.yaml devbox\.json
  \.?exrc \.l?nvimrc \.nvim\.lua \.(l|g|local)?vimrc \.vimrc\.local \.local\.vimrc \.vimspector\.json \.vim \.emacs(\.d)? \.config/(nvim|vim|emacs|helix|micro|tmux|lazygit|tig) \.dir-locals(-2)?\.el
  \.ycm_extra_conf\.py \.clangd \.ccls \.luarc\.jsonc? \.nanorc \.pre-commit-config\.yaml \.?lefthook(-local)?\.(ya?ml|toml|json) \.overcommit\.yml prek\.toml
  \.simple-git-hooks\.(json|[cm]?js) \.lintstagedrc[^/]* [^/]+\.(code-workspace|sublime-(project|workspace))
`);

/** What names programs to tools of every day, or holds versions of them. */
const TOOLS = names(String.raw`
  \.docker/(config\.json|cli-plugins) \.kube/(config|plugins) \.aws/(config|cli) \.(nvm|nodenv|pyenv|rbenv|asdf|volta|sdkman)
  \.config/(mise|containers|lesskey|pip|uv|gcloud|user-dirs\.dirs|pnpm|yarn) \.selected_editor \.xsessionrc \.zsh \.ipython \.ansible\.cfg \.chef/(knife|config)\.rb \.vagrant\.d
`);

const PACKAGES = byDot(String.raw`
  \.npmrc \.yarnrc(\.ya?ml)? \.yarn/(plugins|releases|sdks) \.pnp\.[cm]?js \.pnp\.loader\.mjs \.?pnpmfile\.[cm]?js \.pnpmrc \.?bunfig\.toml
  \.pypirc \.?pip\.conf \.?pip/pip\.conf \.condarc \.cargo/(config(\.toml)?|bin|env) \.bundle/config \.mvn \.m2/settings\.xml \.mavenrc gradle/wrapper \.gradle/(init\.d|init\.gradle(\.kts)?|gradle\.properties)
  [^/]*\.bazelrc \.bazeliskrc \.bazelversion tools/bazel(\.rc)? \.buckconfig(\.[^/]+)? \.pants\.?rc \.sbtopts \.sbtrc \.jvmopts
  pnpm-workspace\.yaml (uv|poetry|pdm)\.toml \.pdm\.toml \.corepack\.env \.swiftpm
`);

const AGENTS = byDot(String.raw`
  \.(claude|claude\.json|codex|copilot|cursor|rules|gemini|opencode|windsurf|agents?|aider\.conf\.yml|amazonq|augment|cline|continue|crush|crush\.json|factory|goosehints|junie|kilocode|kiro|qwen|roo|roorules|roomodes|trae|mcp\.json|aish\.jsonc|cursorrules|clinerules|windsurfrules)
  (opencode\.jsonc?|crush\.json|mcp\.json) \.github/(copilot-instructions\.md|instructions|prompts|chatmodes|agents)
`);

const CI = names(
  String.raw`
  \.(github|forgejo|gitea)/(workflows|actions) \.gitlab-ci\.yml \.(circleci|gitlab|woodpecker|buildkite|semaphore|teamcity|tekton|builds|azure-pipelines)
  Jenkinsfile \.travis\.yml azure-pipelines\.yml bitbucket-pipelines\.yml \.drone\.yml \.woodpecker\.ya?ml \.cirrus\.(yml|star) \.?appveyor\.yml
  \.build\.yml buildspec\.ya?ml cloudbuild\.ya?ml
`,
  '^',
);

const VERSIONS = byDot(String.raw`
  \.hg/hgrc \.jj/repo/config\.toml \.jj/workspace-config\.toml \.sl/config _darcs/prefs \.pijul/config \.bzr/branch/branch\.conf
`);

const PLACES: readonly (readonly [place: Names, what: string])[] = [
  [names(String.raw`\.git`), "is git's own"],
  ...VERSIONS.map((place) => [place, 'is obeyed by version control'] as const),
  ...EDITORS.map((place) => [place, 'is run by shells and editors'] as const),
  [SHELLS, 'is run by shells and editors'],
  [LANGUAGES, 'is run by interpreters and debuggers'],
  [LOADED, 'is run by interpreters and debuggers'],
  ...PACKAGES.map((place) => [place, 'is obeyed by package managers'] as const),
  [TOOLS, 'is obeyed by tools that start programs'],
  ...AGENTS.map((place) => [place, 'is obeyed by agents'] as const),
  [
    { at: /(^|\/)(AGENTS|CLAUDE|GEMINI|CRUSH|QWEN)(\.local|\.override)?\.md$/, above: /(?!)/, parts: 1, hidden: false },
    'is obeyed by agents',
  ],
  [CI, 'is run by the CI'],
];

/** What a path below a project's tree is to others, as a predicate; undefined for an ordinary file. */
export function runsLater(inside: string): string | undefined {
  const hasHidden = hasHiddenName(inside);
  return PLACES.find(([place]) => isAt(place, inside, hasHidden))?.[1];
}

/** Whether such a path lies below this one by its name, which is no such itself: a link there brings one along. */
export function isAboveRunsLater(inside: string): boolean {
  return PLACES.some(([place]) => place.above.test(inside));
}

/** Of a directory below the home directory: whether it lies in what is obeyed there by its name, or above it. */
export function concernsHome(inside: string): boolean {
  if (!inside.startsWith('.')) return false;
  return PLACES.some(([{ at, above }]) => at.exec(inside)?.index === 0 || above.exec(inside)?.index === 0);
}

const MOST_PARTS = Math.max(...PLACES.map(([{ parts }]) => parts));

/** Of a directory that is no such itself: the end of its path, which decides what the names in it are. Links make endless paths. */
export function endOf(inside: string): string {
  const parts = inside.split('/');
  return parts.length < MOST_PARTS ? inside : `…/${parts.slice(1 - MOST_PARTS).join('/')}`;
}

/** Whether the user's own shell, login or a tool of every day runs it, wherever it lies. */
export function isOwnStart(path: string): boolean {
  return isAt(SHELLS, path, hasHiddenName(path));
}
