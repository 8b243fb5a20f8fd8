/** Programs that find code by ways of their own: what is code to them, and by which words they look for it in a project. */
import { basename } from 'node:path';

export type Language = {
  /** How what runs it is called. */
  readonly names?: RegExp;
  /** Variables that say where it looks. */
  readonly variables?: RegExp;
  /** Of the words behind its name: it looks where it is started, whatever else they say. */
  readonly here?: RegExp;
  /** Of those words: the one place where it looks instead. */
  readonly at?: RegExp;
  /** Only its variables say where it looks; what its words name is known exactly. */
  readonly isExact?: true;
  /** Its program may be a directory or a package that it installs; so may what stands behind these. */
  readonly installs?: RegExp;
  /** How paths of its code end, and of what says how that is built. */
  readonly code: readonly string[];
};

const ends = (text: string) => text.split(' ');

const LANGUAGES: readonly Language[] = [
  {
    names: /^(npx|npm|pnpm|pnpx|yarn|yarnpkg|bun|bunx|deno)$/,
    variables: /^npm_config_(prefix|globalconfig)$/i,
    isExact: true,
    installs: /^(-p|--package|-w|--workspace)$/,
    code: ends('.js .mjs .cjs .ts .mts .cts .node .wasm /package.json'),
  },
  // A workspace by its name may lie anywhere.
  {
    names: /^(npm|pnpm|yarn|yarnpkg|bun)$/,
    here: /(^| )(-w|-F|--workspaces?|workspaces?|--filter)( |=|$)/,
    isExact: true,
    code: ['/package.json'],
  },
  {
    names: /^(uv|uvx|pipx)$/,
    variables: /^(UV_|PIP_|PIPX_|VIRTUAL_ENV$|PYTHON(?!PATH$|SAFEPATH$))/,
    isExact: true,
    installs: /^(--from|--with|--with-editable|--spec)$/,
    code: ends('.py .pyc .so .pth /pyproject.toml /setup.cfg /uv.toml'),
  },
  {
    names: /^(j?ruby|irb|bundle|rake|rails|gem)[\d.]*$/,
    variables: /^(RUBY|GEM_|BUNDLE_)/,
    code: ends('.rb .ru .so .gemspec /Gemfile /Gemfile.lock /Rakefile'),
  },
  { names: /^(lua|luajit|texlua)[\d.-]*$/, variables: /^LUA/, here: /(^| )-l/, code: ends('.lua .so') },
  { names: /^perl[\d.]*$/, variables: /^PERL/, code: ends('.pl .pm .al .so') },
  { names: /^php[\d.]*$/, variables: /^PHP/, code: ends('.php .phar .inc .ini .so') },
  {
    names: /^javaw?$/,
    variables: /^(CLASSPATH|JAVA_OPTS|_?JAVA_(TOOL_)?OPTIONS|JDK_JAVA_OPTIONS)$/,
    here: /^(?!(.* )?(-jar|-cp|-classpath|--class-path|-p|--module-path)( |$))/,
    code: ends('.class .jar .java'),
  },
  {
    names: /^(mvnw?|gradlew?|ant|sbt|mill|scala|scala-cli|kotlin|groovy|clojure|clj|lein|bb)$/,
    at: /(?:^| )(?:-f|--file|-p|--project-dir)[ =](\S+)/,
    here: /^/,
    code: ends('.class .jar .java .kt .kts .scala .sc .sbt .groovy .gradle .clj .cljc .edn .xml .properties'),
  },
  {
    names: /^cargo$/,
    at: /(?:^| )--manifest-path[ =](\S+)/,
    variables: /^(CARGO|RUST)/,
    here: /^/,
    code: ends('.rs /Cargo.toml /Cargo.lock /config.toml'),
  },
  {
    names: /^go$/,
    at: /(?:^| )-C[ =](\S+)/,
    variables: /^GO(?!OGLE)/,
    // A package with its version is one from elsewhere.
    here: /(^| )(run|tool|generate)( |$)(?!.*\w@)/,
    code: ends('.go .s .c .h .cc .syso /go.mod /go.sum /go.work /modules.txt'),
  },
  {
    names: /^dotnet$/,
    at: /(?:^| )--project[ =](\S+)/,
    variables: /^(DOTNET|NUGET|MSBUILD|CORECLR)/,
    here: /(^| )(run|watch|fsi)( |$)/,
    code: ends('.cs .fs .fsx .vb .csproj .fsproj .vbproj .props .targets .dll .deps.json .runtimeconfig.json'),
  },
  {
    names: /^(swift|zig)$/,
    at: /(?:^| )--(?:package-path|build-file)[ =](\S+)/,
    here: /(^| )(run|build)( |$)/,
    code: ends('.swift .zig .zon .c .h .m'),
  },
  {
    names: /^(mix|iex|elixir|erl|rebar3|gleam)$/,
    variables: /^(ELIXIR|ERL|MIX)/,
    here: /^/,
    code: ends('.ex .exs .erl .beam .app .config .gleam'),
  },
  {
    names: /^(runghc|runhaskell|ghci?|stack|cabal)$/,
    here: /^/,
    code: ends('.hs .lhs .cabal /cabal.project /stack.yaml /package.yaml'),
  },
  { names: /^(dart|flutter)$/, here: /(^| )run( |$)/, code: ends('.dart /pubspec.yaml /package_config.json') },
  { names: /^(R|Rscript)$/, variables: /^R_/, code: ends('.R .r .so') },
  {
    names: /^julia$/,
    variables: /^JULIA/,
    here: /(^| )--project( |$)/,
    code: ends('.jl /Project.toml /Manifest.toml'),
  },
  {
    names: /^(raku|nim|nimble|dune|crystal|racket|guile|sbcl|tclsh)[\d.]*$/,
    variables: /^(RAKU|NIM|OCAML|CRYSTAL|PLT|GUILE|SBCL|TCL)/,
    here: /(^| )(run|r|exec|c)( |$)/,
    code: ends('.raku .rakumod .nim .nims .nimble .ml .mli .cr .rkt .scm .ss .lisp .asd .tcl .so'),
  },
];

/** Of a package runner's words: what stands before its program. */
const BEFORE = /^(exec|x|dlx|run|tool)$/;
/** What stands behind these is no program. */
const TAKES =
  /^(-p|-c|-w|-C|--(package|call|workspace|registry|cache|userconfig|prefix|loglevel|python|from|with|with-editable|with-requirements|spec|index|index-url|default-index|extra-index-url))$/;
/** Around what a package is taken from: a name of its own, how it is reached, parts of it. */
const AROUND = /^([\w.-]+@)?((file|link|portal):(\/\/)?)?|\[[^\]]*\]$/g;

export type Asked = {
  /** As a shell takes them. */
  readonly words: readonly string[];
  readonly variables: readonly (readonly [string, string])[];
  /** Whether it is started in the project. */
  readonly isHere: boolean;
  /** Whether a word leads into the project. */
  leads(word: string): boolean;
};

/** The languages whose code may come from anywhere in the project. */
export function openLanguages({ words, variables, isHere, leads }: Asked): readonly Language[] {
  return LANGUAGES.filter((language) => {
    const behind = behindName(language.names, words);
    const line = behind?.join(' ') ?? '';
    const place = language.at?.exec(line)?.[1];
    if (behind && isHere && language.here?.test(line) && (place === undefined || leads(place))) return true;
    const options = behind && !language.isExact ? optionsOf(behind, language) : [];
    const values = variables.filter(([name]) => language.variables?.test(name)).map(([, value]) => value);
    return [...options, ...values].flatMap((text) => [text, ...text.split(/[\s:;=,]+/)]).some(leads);
  });
}

/** What its words name to be installed: perhaps a directory. */
export function installed(
  words: readonly string[],
): readonly { readonly word: string; readonly code: Language['code'] }[] {
  return LANGUAGES.flatMap(({ names, installs, code }) => {
    const behind = installs ? (behindName(names, words) ?? []).flatMap((word) => word.split('=')) : [];
    const program = behind.find(
      (word, at) => !word.startsWith('-') && !BEFORE.test(word) && !TAKES.test(behind[at - 1] ?? ''),
    );
    const named = behind.filter((_, at) => installs?.test(behind[at - 1] ?? ''));
    return [program ?? '', ...named].map((word) => ({ word: word.replace(AROUND, ''), code }));
  });
}

function behindName(names: RegExp | undefined, words: readonly string[]): readonly string[] | undefined {
  const at = words.findIndex((word) => names?.test(basename(word)));
  return at < 0 ? undefined : words.slice(at + 1);
}

/** Its options, with what may be their values; what stands behind its program is that one's. */
function optionsOf(behind: readonly string[], { code }: Language): readonly string[] {
  const isOption = (word: string | undefined) => word?.startsWith('-') === true;
  const end = behind.findIndex((word, at) => !isOption(word) && !isOption(behind[at - 1]));
  const options = end < 0 ? behind : behind.slice(0, end);
  const program = options.findIndex((word) => !isOption(word) && code.some((ending) => word.endsWith(ending)));
  return program < 0 ? options : options.slice(0, program + 1);
}
