import { destructive, type StaticVerdict, unknown } from '../verdict.ts';

/** Names at the end of a path, or directories in it. */
function paths(text: string): RegExp {
  const alternatives = text.split(/\s+/).filter((word) => word !== '');
  return new RegExp(`(?:^|/)(?:${alternatives.join('|')})$`);
}

/** Files that the user's own shell, login or tools run later, wherever they lie. */
const START_FILES = paths(String.raw`
  \.git/.+ \.gitconfig \.config/git/.+
  \.(bash|zsh|ksh|mksh|csh|tcsh|xonsh)rc \.bash_(profile|login|logout|aliases) \.profile \.z(shenv|profile|login|logout)
  \.login \.logout \.inputrc \.config/(fish|nushell|bash|zsh|elvish)/.+ \.oh-my-zsh/.+ \.bash_completion(\.d/.+)?
  \.config/(autostart|systemd|environment\.d|plasma[^/]*|i3|sway|hypr|openbox|awesome|kitty|alacritty|wezterm)/.+
  \.xinitrc \.xsession \.xprofile \.Xresources \.pam_environment \.local/share/(applications|dbus-1|systemd|nautilus)/.+
  Library/Launch(Agents|Daemons)/.+ \.ssh/.+ \.gnupg/.+ \.aws/config \.docker/(config\.json|cli-plugins/.+)
  \.vimrc \.vim/.+ \.config/(nvim|emacs|helix|micro|tmux|lazygit|tig)/.+ \.emacs(\.d/.+)? \.tmux\.conf \.screenrc
  \.curlrc \.wgetrc \.psqlrc \.sqliterc \.my\.cnf \.mongorc\.js \.lesskey \.lessfilter \.irbrc \.pryrc \.Rprofile
  \.ipython/.+ \.local/lib/python[^/]*/.+ \.local/bin/.+ \.cargo/bin/.+ \.npm-global/bin/.+ \.pyenv/.+ \.rbenv/.+ \.nvm/.+ \.asdf/.+
  (sitecustomize|usercustomize)\.py [^/]+\.pth
  \.aish\.jsonc \.config/aish[^/]*/.+
`);

/** The same, where they lie in a home directory. */
const HOME_FILES = paths(String.raw`
  (bin|go/bin)/.+ \.npmrc \.yarnrc(\.yml)? \.cargo/config(\.toml)? \.config/(pip|uv|gh|gcloud|containers|bat|ripgrep|htop|go|aish)[^/]*/.+
  \.gdbinit \.m2/settings\.xml \.gradle/.+ \.netrc \.nanorc
`);
const HOME = /^(~|\/root|\/home\/[^/]+|\/Users\/[^/]+|\$HOME)\//;

/** Files that tell a tool of the project what to run, or the next agent what to do. */
const PROJECT_FILES = paths(String.raw`
  \.gitattributes \.gitmodules \.lfsconfig \.(husky|githooks)/.+ lefthook\.ya?ml \.pre-commit-config\.yaml \.envrc \.env \.tool-versions
  \.?mise\.toml \.mise/.+ \.(nvmrc|node-version|ruby-version|python-version|sdkmanrc) \.npmrc \.yarnrc(\.yml)? \.pnpmfile\.cjs
  conftest\.py setup\.(py|cfg) pyproject\.toml tox\.ini noxfile\.py pytest\.ini \.coveragerc tasks\.py fabfile\.py manage\.py
  alembic/env\.py alembic\.ini gunicorn\.conf\.py requirements[^/]*\.txt Pipfile environment\.ya?ml \.pylintrc mypy\.ini Snakefile SConstruct wscript
  package\.json package-lock\.json \.yarn/.+ \.pnp\.cjs bunfig\.toml binding\.gyp deno\.jsonc? [^/]+\.config\.[cm]?[jt]s \.(eslint|babel|prettier|mocha|swc)rc[^/]*
  tsconfig[^/]*\.json (Grunt|gulp|Jake|Just|Rake|Gem|Guard|Vagrant|Fast|Danger|Pod|Task|Tilt|Proc|Docker|Container|Jenkins)file[^/]* turbo\.json nx\.json lerna\.json node_modules/.+
  (GNU)?[Mm]akefile [^/]+\.ma?k CMakeLists\.txt [^/]+\.cmake CMake(User)?Presets\.json build\.ninja meson\.build configure(\.ac)? [Jj]ustfile Taskfile\.ya?ml build\.xml Kbuild
  build\.rs Cargo\.toml \.cargo/.+ rust-toolchain(\.toml)? go\.(mod|work) \.golangci\.ya?ml (build|settings)\.gradle(\.kts)? gradle\.properties gradlew gradle/wrapper/.+
  pom\.xml mvnw \.mvn/.+ build\.sbt [^/]+\.gemspec composer\.json artisan mix\.exs [^/]+\.(tf|tfvars) default\.nix shell\.nix flake\.nix
  (docker-)?compose[^/]*\.ya?ml \.devcontainer/.+ \.github/(workflows|actions)/.+ \.gitlab-ci\.yml \.circleci/.+ azure-pipelines\.yml \.travis\.yml \.drone\.yml \.buildkite/.+ Chart\.yaml skaffold\.yaml kustomization\.ya?ml
  \.vscode/.+ [^/]+\.code-workspace \.idea/.+ \.zed/.+ \.exrc \.nvimrc \.nvim\.lua \.dir-locals\.el \.gdbinit \.ctags\.d/.+
  (AGENTS|CLAUDE|GEMINI)\.md \.(claude|codex|cursor|gemini|continue|roo|opencode)/.+ \.cursorrules \.clinerules opencode\.json \.?mcp\.json \.github/copilot-instructions\.md
  (\.?venv|env)/bin/.+
`);

/** What holds for writing to a file that decides what runs later; undefined for any other. */
export function controlFile(path: string): StaticVerdict | undefined {
  const tidy = path.replace(/\/\.?\//g, '/').replace(/^\.\//, '');
  if (START_FILES.test(tidy) || (HOME.test(tidy) && HOME_FILES.test(tidy)))
    return destructive('write to start file', 'changes what your own shell and tools run later');
  return PROJECT_FILES.test(tidy) ? unknown('writes a file that decides what tools run') : undefined;
}
