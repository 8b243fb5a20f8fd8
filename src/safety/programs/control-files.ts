import { beginsWithDot, hasHiddenName, isOwnStart, runsLater } from '../../contracts/runs-later.ts';
import { STANDARD_MODULES } from '../knowledge/python-modules.ts';
import { destructive, type StaticVerdict, unknown } from '../verdict.ts';

/** Names at the end of a path, or directories in it. */
function paths(text: string): (path: string) => boolean {
  const alternatives = text.split(/\s+/).filter((word) => word !== '');
  const ending = (some: readonly string[]) =>
    some.length === 0 ? undefined : new RegExp(`(?:^|/)(?:${some.join('|')})$`);
  const hidden = ending(alternatives.filter(beginsWithDot));
  const plain = ending(alternatives.filter((word) => !beginsWithDot(word)));
  return (path) => plain?.test(path) === true || (hidden !== undefined && hasHiddenName(path) && hidden.test(path));
}

/** Files that the user's own shell, login or tools run later, wherever they lie, besides those of `isOwnStart`. */
const isAmongStartFiles = paths(String.raw`
  \.git/.+ \.config/(Code/User|Cursor/User|VSCodium/User)/.+ \.config/(nvim|emacs|helix|micro|tmux|lazygit|tig)/.+ \.vimrc \.vim/.+ \.emacs(\.d/.+)?
  Library/Launch(Agents|Daemons)/.+ \.aws/config \.docker/(config\.json|cli-plugins/.+)
  \.irbrc \.pryrc \.Rprofile \.pythonrc(\.py)? \.pypirc \.pip/.+ \.julia/config/.+ \.lldbinit
  \.ipython/.+ \.local/lib/python[^/]*/.+ \.cargo/bin/.+ \.npm-global/bin/.+ \.pyenv/.+ \.rbenv/.+ \.nvm/.+ \.asdf/.+ \.deno/bin/.+ \.bun/bin/.+
  (sitecustomize|usercustomize)\.py [^/]+\.pth
  \.aish\.jsonc \.config/aish[^/]*/.+
`);

/** The same, where they lie in a home directory. */
const isAmongHomeFiles = paths(String.raw`
  (bin|go/bin)/.+ \.npmrc \.yarnrc(\.yml)? \.cargo/config(\.toml)? \.config/(pip|uv|gh|gcloud|containers|bat|ripgrep|htop|go|aish)[^/]*/.+
  \.gdbinit \.m2/settings\.xml \.gradle/.+ \.netrc \.nanorc
`);
const HOME = /^(~|\/root|\/home\/[^/]+|\/Users\/[^/]+|\$HOME)(?:\/|$)/;

/** Names that begin with a dot and tell no tool what to run; all others may. */
const PLAIN_HIDDEN =
  /^\.(|\.|[\w-]*ignore|gitkeep|keep|nojekyll|mailmap|cache|tmp|temp|trash|ds_store|done|placeholder|env\.(example|sample|template|dist)|pytest_cache|mypy_cache|ruff_cache|next|nuxt|output|turbo|parcel-cache|nyc_output|coverage|ipynb_checkpoints|hypothesis)$/i;

/** Files that tell a tool of the project what to run, or the next agent what to do. */
const isAmongProjectFiles = paths(String.raw`
  conftest\.py setup\.(py|cfg) pyproject\.toml tox\.ini noxfile\.py pytest\.ini tasks\.py fabfile\.py manage\.py dodo\.py waf
  alembic/env\.py alembic\.ini gunicorn\.conf\.py requirements[^/]*\.txt constraints\.txt Pipfile environment\.ya?ml mypy\.ini ruff\.toml Snakefile SConstruct SConscript wscript
  package\.json package-lock\.json yarn\.lock pnpm-[^/]+\.yaml binding\.gyp deno\.jsonc? [^/]+\.(config|conf)\.[cm]?[jt]s
  (vite|vitest|webpack|rollup|babel|jest|cypress|playwright|karma|metro)[^/]*\.(json|[cm]?[jt]s)
  [tj]sconfig[^/]*\.json [A-Z][A-Za-z]*file[^/]* turbo\.json nx\.json lerna\.json (angular|project|workspace|vercel|renovate)\.json (netlify|fly|wrangler|Cross|Trunk)\.toml node_modules/.+
  (GNU)?makefile justfile [^/]+\.ma?k CMakeLists\.txt [^/]+\.cmake CMake(User)?Presets\.json build\.ninja meson\.build configure(\.(ac|in))? autogen\.sh bootstrap(\.sh)? Taskfile\.ya?ml build\.xml Kbuild [^/]+\.m4
  build\.rs Cargo\.(toml|lock) rust-toolchain(\.toml)? (rustfmt|clippy|deny)\.toml go\.(mod|work|sum) magefile\.go [^/]+\.gradle(\.kts)? gradle\.properties gradlew(\.bat)? gradle/.+
  pom\.xml mvnw(\.cmd)? build\.sbt [^/]+\.(gemspec|podspec|cabal|rockspec) config\.ru composer\.(json|lock) artisan mix\.exs rebar\.config [^/]+\.(tf|tfvars|hcl) default\.nix shell\.nix flake\.(nix|lock)
  (WORKSPACE|BUILD|MODULE)(\.(bazel|bzlmod))? [^/]+\.(bzl|gn|gni|gyp|gypi) premake5\.lua xmake\.lua conanfile\.(py|txt) vcpkg\.json stack\.yaml Package\.swift project\.clj deps\.edn dune(-project)?
  global\.json nuget\.config Directory\.[^/]+ [^/]+\.(props|targets|csproj|fsproj|vbproj|vcxproj|sln|ruleset)
  (docker-)?compose[^/]*\.ya?ml docker-bake\.hcl Chart\.yaml skaffold\.yaml kustomization\.ya?ml serverless\.ya?ml ansible\.cfg playbook[^/]*\.ya?ml
  phpunit\.xml(\.dist)? php\.ini
  (venv|env|virtualenv)/bin/.+ [^/]+\.desktop [^/]+\.(service|timer|socket|path|mount) crontab authorized_keys
`);

/** Is this the home directory of somebody? */
export function isHome(path: string): boolean {
  return /^(~|\/root|\/home\/[^/]+|\/Users\/[^/]+|\$HOME)\/?$/.test(path);
}

/** Does the user's own shell, login or a tool of theirs run this file later? */
export function isStartFile(path: string): boolean {
  return isOwnStart(path) || isAmongStartFiles(path) || (HOME.test(path) && isAmongHomeFiles(path));
}

/** Does a name on the way begin with a dot, where a tool may look for what to do? */
function isHidden(path: string): boolean {
  return hasHiddenName(path) && path.split('/').some((name) => name.startsWith('.') && !PLAIN_HIDDEN.test(name));
}

/** Would Python import this file in place of a module of its own? */
function shadowsModule(path: string): boolean {
  const name = path.endsWith('.py') ? /(?:^|\/)(\w+)\.py$/.exec(path)?.[1] : undefined;
  return name !== undefined && STANDARD_MODULES.has(name);
}

/**
 * What holds for writing to a file that decides what runs later; undefined for any other. What begins with a dot counts as
 * such unless it is known not to: each tool looks for files of its own.
 */
export function controlFile(path: string): StaticVerdict | undefined {
  const tidy = path.replace(/\/\.?\//g, '/').replace(/^\.\//, '');
  if (isStartFile(tidy)) return destructive('write to start file', 'changes what your own shell and tools run later');
  return isHidden(tidy) || runsLater(tidy) !== undefined || isAmongProjectFiles(tidy) || shadowsModule(tidy)
    ? unknown('writes a file that decides what tools run')
    : undefined;
}
