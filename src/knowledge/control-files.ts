/**
 * Control files: files that shells, editors, version control, package managers, CI and agents execute or obey
 * automatically, whoever wrote them. In Project mode they are write-protected, or set aside until the user has
 * decided (MO-9); elsewhere the gate asks before one is written.
 *
 * A name matches wherever its last part occurs in a path, including everything below it, in upper or lower case,
 * because on some file systems `.GIT` is `.git`.
 */
import { patternsIn, sourceOf, spellOut } from './patterns.ts';

type Group = {
  /** The effect of a file of the group, as a predicate. */
  readonly what: string;
  /** The user's own shell, login or tools run it, wherever it is. */
  readonly own?: true;
  /** Does not count in a directory that the session itself created, even if that directory is part of the name. */
  readonly filled?: true;
  /** Whether the name counts only at the top of the tree. */
  readonly top?: true;
  /** Whether the name counts only in this exact case: in lower case it is an ordinary page. */
  readonly exact?: true;
  readonly names: string;
};

const SHELLS = 'is run by shells and editors';
const INTERPRETERS = 'is run by interpreters and debuggers';
const PACKAGES = 'is obeyed by package managers';
const TOOLS = 'is obeyed by tools that start programs';
const AGENTS = 'is obeyed by agents';

const GROUPS: readonly Group[] = [
  { what: "is git's own", own: true, names: '.git' },
  // Other version control systems: hooks, aliases and programs named by their settings.
  {
    what: 'is obeyed by version control',
    names:
      '.hg/hgrc .jj/repo/config.toml .jj/workspace-config.toml .sl/config _darcs/prefs .pijul/config .bzr/branch/branch.conf',
  },
  // Shells, the login, the desktop, and what they start immediately.
  {
    what: SHELLS,
    own: true,
    names: `
      .{bash,zsh,ksh,mksh,csh,tcsh,xonsh}rc{,.d} .bash_{profile,login,logout,aliases,enter,leave,exit} .profile{,.d}
      .z{shenv,profile,login,logout} .login .logout .inputrc .config/{fish,nushell,bash,zsh,elvish,direnv,starship.toml}
      .oh-my-zsh .bash_completion{,.d} .config/{autostart,systemd,environment.d,plasma*,i3,sway,hypr,openbox,awesome}
      .config/{kitty,alacritty,wezterm,xfce4,lxsession} .xinitrc .xsession .xprofile .Xresources .pam_environment
      .local/share/{applications,dbus-1,systemd,nautilus,bash-completion,zsh,fish,kservices5} Library/Launch{Agents,Daemons}
      .local/bin .{cargo,npm-global,deno,bun}/bin .{nvm,pyenv,rbenv,asdf}
      .ssh .gnupg .gitconfig .config/git .curlrc .wgetrc .psqlrc .sqliterc .my.cnf .mongorc.js .lesskey .lessfilter .mailcap
      .procmailrc .forward .rhosts .shosts .terraformrc .tmux.conf .screenrc .ondirrc .shadowenv.d .in .out
      .vimrc .vim .emacs{,.d} .config/{nvim,vim,emacs,helix,micro,tmux,lazygit,tig} .config/{Code,Cursor,VSCodium}/User
    `,
  },
  // A project's editors, version managers and hooks: active on entering its directory, on opening it, on a commit.
  {
    what: SHELLS,
    names: `
      .envrc{,.local} .direnvrc .husky .huskyrc* .git{,-}hooks .simple-git-hooks.{json,js,cjs,mjs} .lintstagedrc* .commitlintrc*
      .pre-commit-config.yaml {,.}lefthook{,-local}.{yaml,yml,toml,json} .overcommit.yml prek.toml
      .vscode .vs .idea .devcontainer .devcontainer.json .zed .helix .fleet .nova .lapce .settings .project .run/*.run.xml
      *.{code-workspace,sublime-project,sublime-workspace}
      {,.}exrc .{,l}nvimrc .nvim.lua .{l,g,local}vimrc .vimrc.local .local.vimrc .vimspector.json .dir-locals{,-2}.el .nanorc
      .ycm_extra_conf.py .clangd .ccls .luarc.json{,c}
      .mise{,.*} mise{,.*}.toml mise/config{,.*}.toml .rtx.toml .tool-versions .sdkmanrc .autoenv{,_leave}{,.zsh} rust-toolchain{,.toml}
      {flake,shell,devenv}.nix devenv.yaml devbox.json
    `,
  },
  // Interpreters and debuggers: read when they start in a directory or for this user.
  {
    what: INTERPRETERS,
    own: true,
    names: `
      .{irb,pry}rc .Rprofile .pythonrc{,.py} .lldbinit .julia/config .ipython .local/lib/python* {site,user}customize.py *.pth
    `,
  },
  {
    what: INTERPRETERS,
    names: `
      .{gem,pdb,perl,php,octave,byebug,rdbg,radare2,clisp,guile,dbx,sage,irb,pry}rc{,.py} .iex{,.local}.exs .erlang .guile .sageinit
      .Renviron .pythonstartup .ghci .ocamlinit .sbclrc .perldb .gdbinit .rspec .proverc .ghc.environment.* .jupyter
      {site,user}customize{,.*} {ipython,jupyter}{,_*}_config.{py,json}
    `,
  },
  // Python environments, which the tool that creates them fills.
  { what: INTERPRETERS, filled: true, names: '{,.}{v,virtual,}env/{bin,scripts}/{activate,python}* pyvenv.cfg' },
  // Package managers, build wrappers, and their settings that name programs.
  {
    what: PACKAGES,
    own: true,
    names: '.pypirc .pip',
  },
  {
    what: PACKAGES,
    names: `
      .npmrc .yarnrc{,.yml,.yaml} .yarn/{plugins,releases,sdks} .pnp.{js,cjs,mjs} .pnp.loader.mjs {,.}pnpmfile.{js,cjs,mjs} .pnpmrc
      pnpm-workspace.yaml {,.}bunfig.toml .corepack.env {,.}pip.conf pip/pip.conf {uv,poetry,pdm}.toml .pdm.toml .condarc
      .cargo/{config{,.toml},env} .bundle/config .mvn .m2/settings.xml .mavenrc gradle/wrapper .swiftpm
      .gradle/{init.d,init.gradle{,.kts},gradle.properties} *.bazelrc .bazeliskrc .bazelversion tools/bazel{,.rc}
      .buckconfig{,.*} .pants{,.}rc .sbtopts .sbtrc .jvmopts
    `,
  },
  // Settings that name programs for everyday tools, or versions of them.
  { what: TOOLS, own: true, names: '.docker/{config.json,cli-plugins} .aws/config' },
  {
    what: TOOLS,
    names: `
      .kube/{config,plugins} .aws/cli .{nodenv,volta,sdkman} .config/{mise,containers,lesskey,pip,uv,gcloud,user-dirs.dirs,pnpm,yarn}
      .selected_editor .xsessionrc .zsh .ansible.cfg .chef/{knife,config}.rb .vagrant.d
    `,
  },
  // Agents: instructions, hooks and servers.
  { what: AGENTS, own: true, names: '.aish.jsonc .config/aish*' },
  {
    what: AGENTS,
    names: `
      .{claude,claude.json,codex,copilot,cursor,rules,gemini,opencode,windsurf,agent,agents,aider.conf.yml,amazonq,augment}
      .{cline,continue,crush,crush.json,factory,goosehints,junie,kilocode,kiro,qwen,roo,roorules,roomodes,trae,mcp.json}
      .{cursorrules,clinerules,windsurfrules} opencode.json{,c} crush.json mcp.json
      .github/{copilot-instructions.md,instructions,prompts,chatmodes,agents}
    `,
  },
  { what: AGENTS, exact: true, names: '{AGENTS,CLAUDE,GEMINI,CRUSH,QWEN}{,.local,.override}.md' },
  {
    what: 'is run by the CI',
    top: true,
    names: `
      .{github,forgejo,gitea}/{workflows,actions} .gitlab-ci.yml .{circleci,gitlab,woodpecker,buildkite,semaphore,teamcity,tekton}
      .{builds,azure-pipelines} Jenkinsfile .travis.yml azure-pipelines.yml bitbucket-pipelines.yml .drone.yml .woodpecker.y{,a}ml
      .cirrus.{yml,star} {,.}appveyor.yml .build.yml buildspec.y{,a}ml cloudbuild.y{,a}ml
    `,
  },
];

/** In a home directory also these: the user's programs, and settings of tools. */
const AT_HOME = 'bin go/bin .config/{gh,bat,ripgrep,htop,go}* .gradle .netrc';

/**
 * Files that tell a project's tools what to run when the user starts them. They are the project's source, so they are
 * not set aside.
 */
const PROJECT_FILES = `
  conftest.py setup.{py,cfg} pyproject.toml tox.ini noxfile.py pytest.ini tasks.py fabfile.py manage.py dodo.py waf
  alembic/env.py alembic.ini gunicorn.conf.py requirements*.txt constraints.txt Pipfile environment.y{,a}ml mypy.ini ruff.toml
  Snakefile SConstruct SConscript wscript
  package.json package-lock.json yarn.lock pnpm-*.yaml binding.gyp deno.json{,c} *.{config,conf}.{,c,m}{j,t}s
  {vite,vitest,webpack,rollup,babel,jest,cypress,playwright,karma,metro}*.{json,js,ts,cjs,mjs,cts,mts}
  {t,j}sconfig*.json turbo.json nx.json lerna.json {angular,project,workspace,vercel,renovate}.json
  {netlify,fly,wrangler,Cross,Trunk}.toml node_modules/*
  {GNU,}makefile justfile *.m{,a}k CMakeLists.txt *.cmake CMake{,User}Presets.json build.ninja meson.build configure{,.ac,.in}
  autogen.sh bootstrap{,.sh} Taskfile.y{,a}ml build.xml Kbuild *.m4
  build.rs Cargo.{toml,lock} {rustfmt,clippy,deny}.toml go.{mod,work,sum} magefile.go
  *.gradle{,.kts} gradle.properties gradlew{,.bat} gradle/* pom.xml mvnw{,.cmd} build.sbt *.{gemspec,podspec,cabal,rockspec}
  config.ru composer.{json,lock} artisan mix.exs rebar.config *.{tf,tfvars,hcl} default.nix flake.lock
  {WORKSPACE,BUILD,MODULE}{,.bazel,.bzlmod} *.{bzl,gn,gni,gyp,gypi} premake5.lua xmake.lua conanfile.{py,txt} vcpkg.json
  stack.yaml Package.swift project.clj deps.edn dune{,-project} global.json nuget.config Directory.*
  *.{props,targets,csproj,fsproj,vbproj,vcxproj,sln,ruleset} {,docker-}compose*.y{,a}ml docker-bake.hcl Chart.yaml skaffold.yaml
  kustomization.y{,a}ml serverless.y{,a}ml ansible.cfg playbook*.y{,a}ml phpunit.xml{,.dist} php.ini {v,virtual,}env/bin/*
  *.{desktop,service,timer,socket,path,mount} crontab authorized_keys
`;
/** Capitalised names: Makefile, Dockerfile, Rakefile, Gemfile.lock. */
const CAPITAL_FILE = /(?:^|\/)[A-Z][A-Za-z]*file[^/]*$/;

/** The names of all groups. */
export const CONTROL_FILES: readonly string[] = GROUPS.flatMap(({ names }) => patternsIn(names));

type Names = {
  /** Names that begin with a dot, separately: few paths contain one, so most paths skip this expression. */
  readonly hidden: RegExp | undefined;
  readonly plain: RegExp | undefined;
};

const START = '(?:^|/)';

function namesOf(list: string, start: string, end: string, flags: string): Names {
  const all = patternsIn(list);
  const matching = (some: readonly string[]) =>
    some.length === 0 ? undefined : new RegExp(`${start}(?:${some.map(sourceOf).join('|')})${end}`, flags);
  return {
    hidden: matching(all.filter((pattern) => pattern.startsWith('.'))),
    plain: matching(all.filter((pattern) => !pattern.startsWith('.'))),
  };
}

const isAmong = ({ hidden, plain }: Names, path: string, hasHidden = hasHiddenName(path)): boolean =>
  (hasHidden && hidden?.test(path) === true) || plain?.test(path) === true;

/** Whether any part of the path begins with a dot. */
export const hasHiddenName = (path: string): boolean => path.startsWith('.') || path.includes('/.');

const compiled = GROUPS.map((group) => ({
  ...group,
  at: namesOf(group.names, group.top ? '^' : START, '(?:/|$)', group.exact ? '' : 'i'),
}));
const own = compiled.filter((group) => group.own);
/** The parent directories of names with several parts. */
const parents = (list: string) => patternsIn(list).flatMap(spellOut).flatMap(parentsOf).map(sourceOf).join('|');
const above = new RegExp(`${START}(?:${parents(GROUPS.map(({ names }) => names).join(' '))})$`, 'i');
/**
 * Returns the names that count in a home directory: hidden ones, and those of its own list, since `~/gradle` is an
 * ordinary directory.
 */
const homeNames = `${patternsIn(GROUPS.map(({ names }) => names).join(' '))
  .filter((name) => name.startsWith('.'))
  .join(' ')} ${AT_HOME}`;
const atHome = namesOf(homeNames, '^', '(?:/|$)', '');
const aboveHome = new RegExp(`^(?:${parents(homeNames)})$`);
const ofProject = namesOf(PROJECT_FILES, START, '$', '');

function parentsOf(name: string): readonly string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

/**
 * Returns why a file below a project's tree counts as a control file, as a predicate (`is run by the CI`);
 * undefined for an ordinary file.
 */
export function runsLater(inside: string): string | undefined {
  const hasHidden = hasHiddenName(inside);
  return compiled.find(({ at }) => isAmong(at, inside, hasHidden))?.what;
}

/** Returns where in such a path the first matching name begins; undefined for an ordinary file. */
export function controlNameAt(inside: string): number | undefined {
  const found = compiled.flatMap(({ filled, at: { hidden, plain } }) =>
    [hidden, plain].flatMap((names) => {
      const match = names?.exec(inside);
      if (!match) return [];
      const name = match[0].replace(/\/$/, '');
      return [match.index + (filled ? name.lastIndexOf('/') : name.indexOf('/') === 0 ? 0 : -1) + 1];
    }),
  );
  return found.length === 0 ? undefined : Math.min(...found);
}

/** Whether this path is a parent of a control file: a link placed there would provide one. */
export const isAboveRunsLater = (inside: string): boolean => above.test(inside);

/** Returns whether a directory below the home directory is inside a control file’s directory, or contains one. */
export const concernsHome = (inside: string): boolean => isAmong(atHome, inside) || aboveHome.test(inside);

/** Whether the user's own shell, login or tools run it, wherever it is. */
export function isOwnStart(path: string): boolean {
  const hasHidden = hasHiddenName(path);
  return own.some(({ at }) => isAmong(at, path, hasHidden));
}

/** Whether this path below a home directory is a parent of a control file. */
export const isAboveHomeStart = (inside: string): boolean => inside === '' || aboveHome.test(inside);

/** The same as `isOwnStart` for a path below a home directory. */
export const isHomeStart = (inside: string): boolean => isAmong(atHome, inside);

/** Returns whether a file tells a project’s tool what to run. */
export const isProjectControl = (path: string): boolean => isAmong(ofProject, path) || CAPITAL_FILE.test(path);
