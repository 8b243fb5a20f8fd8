import { pattern } from '../../../text/pattern.ts';
import { readable } from '../../shell/taint.ts';
import { verbOf } from '../../verbs.ts';
import { destructive, FORMATS, type StaticVerdict, unknown } from '../../verdict.ts';
import { absolute, fillsDirectory, isOwnProject, lookAt } from '../paths.ts';
import { type CallFacts, given, type Reading, type Records, type Spec, words } from '../record.ts';

const MAKE_FILES =
  /(^|\/)((GNU)?[Mm]akefile|[^/]+\.ma?k|CMakeLists\.txt|[^/]+\.cmake|CMake(User)?Presets\.json|build\.ninja|meson\.build|[Jj]ustfile)$/;

/** Tasks that compile and test, as `cargo test` does; other tasks of a build file are unknown. */
const BUILD_TASK = pattern(String.raw`
    ^(?::?[\w-]+:)*(test|build|check|assemble|classes|testClasses|compile(Test)?(Java|Kotlin)?|test-compile|jar
    |package|verify|validate|tasks|dependencies|projects|properties|help|dependency:tree|help:effective-pom)$
  `);
const JVM_FILES =
  /(^|\/)(pom\.xml|[^/]+\.gradle(\.kts)?|gradle\.properties|gradlew|mvnw|[^/]+\.(java|kt|kts|groovy|scala))$|(^|\/)(\.mvn|gradle\/wrapper|buildSrc)\//;

/** Build tools run what their files say; only calls that merely show something are proven harmless. */
export const BUILD_RECORDS: Records = {
  'make gmake just': {
    of: {
      make: {
        values: '-j --jobs -l -O',
        dryRun: '-n --just-print --dry-run --recon -q --question',
        traits: ['runsProject'],
      },
      just: { traits: ['printsSetup', 'runsProject'] },
    },
    tune: '-n -q -p -t --just-print --dry-run --recon --question --print-data-base -# -B -d -e -i -j[=] -k -l[=] -L -r -R -s -S  -w -O[=] --always-make --debug[=] --ignore-errors --jobs[=] --keep-going --silent --quiet --no-print-directory --print-directory --output-sync[=] --trace --warn-undefined-variables --no-builtin-rules --list --summary -l',
    load: '-f= -I= -E= -C= -W= -o= --eval= --file= --makefile= --directory= --include-dir= --what-if= --old-file=',
    operands: 'judged',
    open: 'runs recipes of the project',
    runsFiles: true,
  },
  cmake: {
    singleDash: true,
    tune: '-# -B= -G= -A= -T= -L -LA -LAH -Wno-dev -Wdev -N --list-presets[=] --log-level= --parallel[=] -j[=] --target= -t= --config= --verbose -v --warn-uninitialized -E= -DCMAKE_BUILD_TYPE= -DCMAKE_EXPORT_COMPILE_COMMANDS= -DBUILD_SHARED_LIBS= -DBUILD_TESTING= -DCMAKE_VERBOSE_MAKEFILE= -DCMAKE_CXX_STANDARD= -j -j1 -j2 -j4 -j8 -j16',
    project: '-S= -H= --build= -DCMAKE_INSTALL_PREFIX=',
    load: '-P= -C= -D= -U= --toolchain= --install= --open= --preset[=] --workflow --fresh --graphviz= --trace-redirect= --profiling-output= --debugger --debugger-pipe=',
    delete: '--clean-first',
    idle: '--help --version --help-command --help-module --help-variable --help-property --help-policy --help-command-list --help-module-list',
    // `--help-… FILE` writes the help to that file.
    operands: 'judged',
    control: MAKE_FILES,
    judge: judgeCmake,
  },
  ctest: {
    singleDash: true,
    tune: '-# -N -V -VV -R= -E= -L= -LE= -j= -C= -Q -F --show-only[=] --output-on-failure --verbose --tests-regex= --label-regex= --exclude-regex= --parallel= --timeout= --rerun-failed --stop-on-failure --progress --repeat= --print-labels --no-tests= --build-config=',
    project: '--test-dir=',
    load: '-S= -D= -M= -T= --build-and-test= --script= --dashboard= --preset= --overwrite=',
    write: '-O= --output-log= --output-junit=',
    control: MAKE_FILES,
  },
  ninja: {
    traits: ['runsProject'],
    tune: '-# -v -d= -j= -k= -l= -w= --quiet --verbose',
    dry: '-n',
    load: '-C= -f= -t=',
    operands: 'judged',
    judge: (call) => judgeNinja(call.args.map(({ text }) => text)),
  },
  meson: {
    subs: {
      introspect: {
        tune: '-a -i -f --all --ast --benchmarks --buildoptions --buildsystem-files --compilers --dependencies --installed --projectinfo --targets --tests',
        operands: 'read',
      },
      'setup compile test configure dist install': {
        open: 'runs files of the project',
        operands: 'judged',
        tune: '-C= -v',
        runsFiles: true,
      },
    },
  },
  bazel: {
    traits: ['runsProject'],
    subs: {
      'query cquery aquery info version help': { operands: 'tune', tune: '--output= --noimplicit_deps --keep_going' },
      'build test': {
        operands: 'tune',
        tune: '-# -c= -k --config= --jobs= --test_output= --keep_going --test_filter= --verbose_failures',
        control: /(^|\/)(BUILD|WORKSPACE|MODULE)(\.bazel)?$|\.(bzl|bazelrc)$/,
        judge: (_, reading) =>
          reading.operands.every(({ text }) => /^(\/\/)?[\w:./-]*$/.test(text))
            ? undefined
            : unknown('builds the code of another repository', { runsFiles: true }),
      },
      run: {
        open: 'runs files of the project',
        runsFiles: true,
        operands: 'judged',
        tune: '-c= --config= --jobs= --test_output= --keep_going',
      },
      'clean fetch mod': { open: 'deletes or fetches', operands: 'judged' },
    },
  },
  'mvn mvnw gradle gradlew': {
    traits: ['runsProject'],
    helpers: 'java sh uname ls expr dirname basename xargs sed cut tr readlink cygpath',
    operands: 'judged',
    idle: '--version -version -v -V -h',
    tune: '-# -q -x= -B -n -e -T= -am -U -pl= -DskipTests -DskipITs -o -ntp --quiet --stacktrace --info --debug --offline --tests= --continue --parallel --no-daemon --console= --warn --scan-off --rerun-tasks --all --batch-mode --no-transfer-progress -t --dry-run',
    singleDash: true,
    control: JVM_FILES,
    judge: (_, reading) =>
      reading.operands.length > 0 && reading.operands.every(({ text }) => BUILD_TASK.test(text))
        ? undefined
        : unknown('runs tasks of the project', { runsFiles: true }),
  },
  'pkg-config': {
    tune: '--cflags --cflags-only-I --libs --libs-only-l --libs-only-L --libs-only-other --modversion --exists --list-all --variable= --print-errors --short-errors --atleast-version= --exact-version= --max-version= --static --print-variables --print-requires --print-provides --silence-errors',
    operands: 'tune',
  },
  'autoconf automake autoreconf configure': {
    open: 'runs macros of the project',
    operands: 'judged',
    tune: '-i -f -v --install --force --add-missing',
  },
};

/** Generators of build files that are part of cmake. */
const GENERATORS =
  /^(Ninja( Multi-Config)?|(Unix|MinGW|MSYS|NMake|Borland|Watcom) Makefiles|Xcode|Visual Studio \d+.*)$/;
/** Targets that every build has, and that only build or test. */
const TARGETS = /^(all|test|tests|check|help|doc|docs|ALL_BUILD|RUN_TESTS|lib[\w-]+)$/;

/** Judges cmake: `-E` has tools of its own; other calls configure or build a directory. */
function judgeCmake(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const words = call.args.map(({ text }) => text);
  const at = words.indexOf('-E');
  if (at >= 0) return judgeToolbox(words[at + 1]);
  if (words.some((word) => /^--help-[\w-]*(list|s|full|manual)$/.test(word)) && reading.operands.length > 0)
    return unknown('writes its help over a file');
  for (const { name, value = '' } of reading.given) {
    const verdict = judgeCmakeOption(call, name, value);
    if (verdict) return verdict;
  }
  const builds = given(reading, '--build');
  for (const { text } of reading.operands) {
    if (builds ? !/^(-j\d*|-v|-k|VERBOSE=1|\d+)$/.test(text) : !isOwnProject(call.machine, text))
      return unknown(builds ? 'passes arguments to the build tool' : 'configures the code of another place', {
        runsFiles: true,
      });
  }
  return undefined;
}

function judgeToolbox(tool = ''): StaticVerdict | undefined {
  return /^(echo|echo_append|cat|capabilities|compare_files|environment|md5sum|sha\d+sum|sleep|true|false)$/.test(tool)
    ? undefined
    : verbOf(tool) === 'destroys'
      ? destructive('destroying verb', `cmake: ${tool} removes something`)
      : unknown(`cmake -E ${tool} changes files`);
}

function judgeCmakeOption({ machine }: CallFacts, name: string, value: string): StaticVerdict | undefined {
  if (name === '-G' && !GENERATORS.test(value)) return unknown('an unknown generator');
  if (/^(--target|-t)$/.test(name) && !TARGETS.test(value))
    return unknown(`builds ${value.slice(0, 40)}, which may do anything`);
  if (name !== '-B' || value === '.' || lookAt(machine, `${value}/CMakeCache.txt`) === 'file') return undefined;
  const filled = fillsDirectory(machine, value, true);
  return filled.verdict === 'safe' ? undefined : filled;
}

function judgeNinja(words: readonly string[]) {
  const at = words.indexOf('-t');
  if (at >= 0)
    return /^(targets|graph|query|deps|compdb|commands|inputs|rules|list|missingdeps)$/.test(words[at + 1] ?? '')
      ? undefined
      : unknown('a tool of ninja that changes build products');
  return words.includes('-n') ? undefined : unknown('runs rules of the project', { runsFiles: true });
}

/** Tasks that test the project, as other test runners do, or that only look. */
const RUBY_TASK = /^(test|spec|routes|about|stats|notes|db:migrate:status|db:version|zeitwerk:check)$/;

/** Tools that build and run the projects of a language. */
export const PROJECT_TOOLS: Records = {
  rustup: {
    traits: ['printsSetup'],
    subs: {
      update: {},
      'show which check doc': { tune: '-v --toolchain= --verbose', subs: { '': { operands: 'tune' } } },
      'toolchain target component override': { subs: { list: { tune: '-v --installed --toolchain= --verbose -q' } } },
    },
  },
  dotnet: {
    traits: ['runsProject'],
    control: /\.((cs|fs|vb)(proj)?|sln|props|targets)$/,
    idle: '--info --version --list-sdks --list-runtimes -h',
    subs: {
      'build test restore list': {
        singleDash: true,
        operands: 'project',
        tune: '-c= -f= -r= -v= --configuration= --framework= --no-restore --no-build --filter= --logger= --nologo -nologo --verbosity= --list-tests --outdated -warnaserror',
        judge: (_, reading) =>
          reading.given.some(({ name, value = '' }) => name === '--logger' && !/^\w+$/.test(value))
            ? unknown('a logger that may write a file or load code')
            : undefined,
      },
      add: { subs: { package: { operands: 'package', tune: '-v= -f= --version= --framework= --prerelease' } } },
      'new publish pack run tool format sln ef': {
        operands: 'judged',
        open: 'changes or runs the project',
        runsFiles: true,
      },
    },
  },
  swift: {
    traits: ['printsSetup'],
    idle: '--version',
    subs: {
      'build test': { control: /\.swift$/, tune: '-c= -v --configuration= --parallel --filter= -q' },
      'run package': { operands: 'judged', open: 'runs the project', runsFiles: true },
    },
  },
  stack: {
    traits: ['printsSetup'],
    idle: '--version -h',
    subs: {
      'test build compile deps.get deps.tree version help  phx.routes hex.info list path ls env': {
        operands: 'project',
        tune: '-v -f -O= -D= --trace --only= --exclude= --warnings-as-errors --fast',
      },
      '*': { operands: 'judged', open: 'runs the project', runsFiles: true },
    },
  },
  'rake rails': {
    of: { rake: { traits: ['runsProject'] }, rails: { traits: ['runsProject', 'speaks'] } },
    operands: 'judged',
    idle: '--version -v -V -h',
    tune: '-T --tasks -q -n --quiet --trace',
    singleDash: true,
    control: /\.(rb|rake|gemspec|yml)$|(^|\/)(Rakefile|Gemfile|config\.ru)$/,
    judge: (_, reading) =>
      given(reading, '-T', '--tasks') ||
      (reading.operands.length > 0 && reading.operands.every(({ text }) => RUBY_TASK.test(text)))
        ? undefined
        : unknown('runs files of the project', { runsFiles: true }),
  },
  'ant sbt lein': {
    traits: ['runsProject'],
    operands: 'judged',
    open: 'runs files of the project',
    runsFiles: true,
    idle: '--version -version -v -V -h',
    tune: '-# -q -x= -B -n -e -T= -P= --quiet --stacktrace --offline --tests= --tasks --all --release --debug -t -U -am -pl= -DskipTests --dry-run',
    singleDash: true,
  },
};

const PYTHON_FILES =
  /(^|\/)(conftest\.py|pytest\.ini|setup\.cfg|setup\.py|tox\.ini|pyproject\.toml|\.coveragerc|noxfile\.py|__init__\.py|sitecustomize\.py|usercustomize\.py|[^/]+\.(py|pth))$/;
const NODE_FILES =
  /(^|\/)(package\.json|\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.cjs|tsconfig[^/]*\.json|[^/]+\.([cm]?[jt]sx?|json)|\.(eslint|babel|prettier|mocha|swc)rc[^/]*)$/;

/** Configuration files of checkers, some of which are code; the checked sources are not run. */
const PYTHON_SETTINGS =
  /(^|\/)(mypy\.ini|setup\.cfg|pyproject\.toml|\.?pylintrc(\.toml)?|tox\.ini|\.flake8|\.?bandit(\.ya?ml)?)$/;
const NODE_SETTINGS =
  /(^|\/)(package\.json|\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.cjs|tsconfig[^/]*\.json|\.(eslint|babel|prettier|stylelint)rc[^/]*|[^/]+\.config\.[cm]?[jt]s)$/;

/** Report formats built into a checker; any other name is a module that it loads, or a file. */
const REPORTS = pattern(String.raw`
    ^(stylish|json|json2|json-?lines|json-with-metadata|html|compact|unix|tap|junit|junit-xml|checkstyle
    |visualstudio|jslint-xml|codeframe|pretty|summary|text|tab|parseable|colorized|msvs|github|github-actions
    |gitlab|azure|sarif|full|concise|grouped|pylint|rdjson|default|custom|screen|csv|xml|yaml|txt|progress|p
    |documentation|doc|d|j|h|dot|dots|verbose|spec|min|list|nyan|landing|doc|basic|tree|hanging-process
    |github-actions|blob|line|simple|clang|emacs|files|fuubar|offenses|worst|quiet|q|o|fu|pa|t|teamcity
    |colored-line-number|line-number|colored-tab|summaries|agent)$
  `);
/** Languages that prettier parses without a plugin. */
const PARSERS =
  /^(babel|babel-flow|babel-ts|flow|typescript|acorn|espree|meriyah|css|less|scss|json|json5|jsonc|json-stringify|graphql|markdown|mdx|vue|yaml|html|angular|lwc|glimmer)$/;

/** Judges the formats and readers chosen for a checker: only builtin ones, and no options from a file. */
function judgeChoices(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  if (reading.operands.some(({ text }) => text.startsWith('@'))) return unknown('reads options from a file');
  for (const { name, value = '' } of reading.given) {
    if (
      /^(-f|-R|--format|--formatter|--reporter|--reporters|--output-format|--out-format|-fmt|--printer)$/.test(name)
    ) {
      // pycodestyle and flake8 also accept a template.
      if (value !== '' && !REPORTS.test(value) && !(value.includes('%') && /^(flake8|pycodestyle)$/.test(call.program)))
        return unknown(`${name} of ${call.program} may load a module or write a file`);
    } else if (name === '--parser' && !PARSERS.test(value)) return unknown(`--parser of ${call.program} may load code`);
    else if (name === '-W' && call.program === 'pytest' && /\w\.\w/.test(value))
      return unknown('a filter for warnings imports the module it names');
  }
  return undefined;
}

/** Test files by name or directory; any other named source file need not be a test. */
const TEST_FILE = /(^|\/)(tests?|specs?|testing|__tests__|features)\/|(^|[/._-])(tests?|specs?)([._-]|$)/i;

/** Judges the files given to a test runner: tests of the project, or its directories. */
function judgeTests({ machine }: CallFacts, reading: Reading): StaticVerdict | undefined {
  const odd = reading.operands
    .map(({ text }) => text.replace(/(::|:\d).*$/, ''))
    .find(
      (path) => /\.\w{1,4}$/.test(path) && !TEST_FILE.test(path) && !machine.own?.has(absolute(machine, path) ?? ''),
    );
  return odd === undefined ? undefined : unknown(`${readable(odd).slice(-60)} need not be a test`, { runsFiles: true });
}

function judgePytest(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  for (const { name, value = '' } of reading.given) {
    if (name !== '--cov-report' || /^(|term(-missing)?(:skip-covered)?)$/.test(value)) continue;
    if (value !== 'html') return unknown('may overwrite a file with a report');
    const filled = fillsDirectory(call.machine, 'htmlcov');
    if (filled.verdict !== 'safe') return filled;
  }
  return judgeTests(call, reading) ?? judgeChoices(call, reading);
}

/**
 * Checkers, formatters and test runners: they run the project’s tests, and load the modules that their options name.
 */
export const CHECKERS: Records = {
  'pytest py.test': {
    tune: '-# -q -qq -v -vv -vvv -x -s -l -k= -m= -n= -r= -h --tb= --maxfail= --durations= --lf --ff --nf --last-failed --failed-first --no-header --no-summary --collect-only --co --cov[=] --cov-branch --no-cov --color= --disable-warnings --strict-markers --strict-config --showlocals --verbose --quiet --exitfirst --capture= --timeout=  --fixtures --markers --stepwise --sw --reruns= --asyncio-mode= --deselect= --ignore= --ignore-glob= --benchmark-skip --benchmark-only --dist= --numprocesses= --cov-report= --cov-fail-under= --random-order --runslow -W= -ra -rA -rs -rf',
    write: '--junitxml= --junit-xml= --log-file= --resultlog= --report-log=',
    load: '-p= -c= -o= --rootdir= --confcutdir= --import-mode= --pyargs --pastebin= --override-ini= --cov-config=',
    delete: '--basetemp= --cache-clear',
    operands: 'project',
    control: PYTHON_FILES,
    judge: judgePytest,
  },
  tox: {
    traits: ['runsProject'],
    tune: '-# -e= -s= -q -v -p[=] --notest --parallel[=]',
    idle: '-l --list --listenvs --version -h',
    load: '-c= -f= --override= -x=',
    subs: { '': {}, 'run r p run-parallel list l config': { tune: '-e= -q -v' } },
    control: PYTHON_FILES,
    judge: (_, reading) =>
      /^(list|l|config)$/.test(reading.path[0] ?? '')
        ? undefined
        : unknown('runs commands of the project', { runsFiles: true }),
  },
  coverage: {
    subs: {
      report: { tune: '-m --show-missing --skip-covered --include= --omit= --fail-under= --precision= --sort= -i' },
      'run html xml json combine erase lcov': {
        operands: 'judged',
        open: 'runs the project, or writes reports',
        runsFiles: true,
        tune: '-m= -p --source= --branch -a',
      },
    },
  },
  'mypy pyright flake8 pylint': {
    tune: '-# -p= -m= -c= -v -q -i -r -ll -l -s= -f= -n= -x= -j= -e= -a --strict --ignore-missing-imports --show-error-codes --pretty --no-error-summary --python-version= --follow-imports= --exclude= --max-line-length= --select= --ignore= --extend-ignore= --count --statistics --show-source --disable= --enable= --output-format= --reports= --score= --fail-under=  --namespace-packages --explicit-package-bases --check-untyped-defs --disallow-untyped-defs --no-incremental --warn-unused-ignores --max-complexity= --jobs= --errors-only -E --outputjson --warnings --no-strict-optional --hide-error-context --format= --verbose --quiet',
    load: '--config= --config-file= --rcfile= --init-hook= --load-plugins= --install-types --non-interactive --plugin= --custom-typeshed-dir= --python-executable=',
    project: '--project=',
    write: '--output= --output-file= -o= --junit-xml=',
    into: '--cache-dir= --html-report= --txt-report= --xml-report= --linecount-report= --any-exprs-report= --cobertura-xml-report=',
    operands: 'read',
    control: PYTHON_SETTINGS,
    judge: (call, reading) =>
      (call.program === 'pyright' && given(reading, '-p')) || (call.program === 'bandit' && given(reading, '-c'))
        ? unknown('reads settings from another place')
        : judgeChoices(call, reading),
  },
  eslint: {
    tune: '-# -v -h --color --no-color --quiet --debug --max-warnings= --ext= -f= --format= --no-error-on-unmatched-pattern --ignore-pattern= --no-eslintrc --no-ignore --report-unused-disable-directives --no-inline-config --env= --global= --stdin --stdin-filename= --env-info --print-config --rule=',
    read: '--ignore-path=',
    add: '--fix --fix-type=',
    load: '-c= --config= --rulesdir= --plugin= --resolve-plugins-relative-to= --parser= --parser-options= --init',
    write: '-o= --output-file=',
    operands: 'project',
    control: NODE_SETTINGS,
    judge: (call, reading) => (given(reading, '--fix') ? FORMATS : judgeChoices(call, reading)),
  },
  prettier: {
    tune: '-# -c -l -u -v -h --check --list-different --color --no-color --no-error-on-unmatched-pattern --single-quote --tab-width= --print-width= --use-tabs --no-semi --trailing-comma= --end-of-line= --prose-wrap= --parser= --log-level= --loglevel= --no-config --no-cache --stdin-filepath= --support-info --file-info --find-config-path= --no-editorconfig --ignore-unknown',
    add: '--write -w',
    load: '--config= --plugin= --ignore-path=',
    operands: 'project',
    control: NODE_SETTINGS,
    judge: (call, reading) => (given(reading, '--write', '-w') ? FORMATS : judgeChoices(call, reading)),
  },
  rubocop: {
    tune: '-# -d -D -E -l -L -S -V -P -f= --format= --display-cop-names --extra-details --display-style-guide --fail-level= --fail-fast --only= --except= --parallel --no-parallel --force-exclusion --lint --list-target-files --show-cops --color --no-color --cache= --ignore-parent-exclusion --disable-pending-cops --enable-pending-cops',
    add: '-a -A -x --autocorrect --auto-correct --autocorrect-all --fix-layout --safe-auto-correct',
    load: '-r= --require= -c= --config= --init --auto-gen-config --plugin= --start-server --server',
    write: '-o= --out=',
    operands: 'project',
    control: /(^|\/)(\.rubocop[^/]*|Gemfile)$/,
    judge: (call, reading) =>
      given(
        reading,
        '-a',
        '-A',
        '-x',
        '--autocorrect',
        '--auto-correct',
        '--autocorrect-all',
        '--fix-layout',
        '--safe-auto-correct',
      )
        ? FORMATS
        : judgeChoices(call, reading),
  },
  tsc: {
    tune: '-#  -v -w --noEmit --pretty --strict --skipLibCheck --watch --listFiles --showConfig --noEmitOnError --target= --module= --lib= --jsx= --esModuleInterop --allowJs --checkJs --moduleResolution= --noImplicitAny --types= --extendedDiagnostics --diagnostics --traceResolution --incremental',
    idle: '-h -v',
    project: '-p= --project=',
    delete: '--outDir= --declarationDir=',
    write: '--outFile= --tsBuildInfoFile= --generateCpuProfile=',
    into: '--generateTrace=',
    load: '--init --build --plugins=',
    operands: 'read',
    judge: (call, reading) =>
      reading.operands.some(({ text }) => /^(@|true$|false$)/.test(text))
        ? unknown('reads options from a file, or takes one back')
        : call.machine.files && !given(reading, '--noEmit', '--showConfig', '--listFilesOnly')
          ? unknown('writes what it compiles')
          : undefined,
  },
  'jest vitest mocha': {
    tune: '-# -t= -g= -i -w= -R= -f= -b --json --run --coverage --watch --watchAll[=] --runInBand --testNamePattern= --testPathPattern= --verbose --silent --ci --bail[=] --maxWorkers= --passWithNoTests --detectOpenHandles --forceExit --onlyChanged --no-coverage --listTests --reporter= --reporters= --grep= --timeout= --no-color --color --findRelatedTests --related --changed[=] --colors --testTimeout= --headed --project= --no-cache --browser= --headless --run-in-band  --exit',
    write: '--outputFile=',
    load: '--config= -c= -r= --require= --globalSetup= --setupFiles= --testEnvironment= --import= --loader= --preset= --transform=',
    delete: '-u --update --updateSnapshot --clearCache --clear-cache',
    project: '--spec= --root= --dir= --rootDir=',
    subs: {
      '': { operands: 'project' },
      'run test list bench': { operands: 'project', tune: '--run' },
      'init migrate': { operands: 'judged', open: 'writes settings of the project' },
    },
    global: true,
    control: NODE_FILES,
    judge: (call, reading) => judgeMocha(call, reading) ?? judgeChoices(call, reading),
  },
  'rspec phpunit': {
    tune: '-# -f= -e= -t= -v  -p -l= --format= --example= --tag= --fail-fast --color --filter= --testdox --colors[=] --stop-on-failure --level= --memory-limit= --standard= --extensions= --no-progress --list-tests --group= --testsuite= --order= --seed= -n -q --no-color',
    load: '-r= --require= --bootstrap= -c= --configuration= --prepend=',
    write: '-o= --out= --log-junit= --report-file=',
    into: '--coverage-html= --coverage-xml=',
    operands: 'project',
    judge: (call, reading) =>
      (/^(rspec|phpunit|cucumber|behave)$/.test(call.program) ? judgeTests(call, reading) : undefined) ??
      judgeChoices(call, reading),
    control: /\.(rb|php|xml|yml|yaml|rspec)$/,
  },
  'golangci-lint': {
    global: true,
    tune: '-# -v -E= -D= --timeout= --fast --enable= --disable= --issues-exit-code= --disable-all --enable-all --out-format= --tests --new --color=',
    load: '--fix -c= --config=',
    subs: { run: { operands: 'project' }, 'linters version help cache': { operands: 'tune' } },
    judge: judgeChoices,
  },
};

/** Judges mocha, which loads any given file; a test is recognised by its name or directory. */
function judgeMocha({ program }: CallFacts, reading: Reading) {
  const specs = reading.given.flatMap(({ name, value }) => (name === '--spec' && value !== undefined ? [value] : []));
  const odd = [...reading.operands.map(({ text }) => text), ...specs].find((text) => !/test|spec/i.test(text));
  return program === 'mocha' && odd !== undefined
    ? unknown('runs files whose names are not those of tests', { runsFiles: true })
    : undefined;
}

type Ways = {
  /** Options with which it only shows its changes. */
  readonly shows?: string;
  /** Options with which it changes the files. */
  readonly writes?: string;
  /** Whether the formatter changes the files unless an option tells it to show. */
  readonly always?: true;
};

/** A record for a formatter, which changes sources in place unless it only shows. Each has its own options. */
function formatter({ shows = '', writes = '', always }: Ways, spec: Spec): Spec {
  const shown = words(shows);
  const written = words(writes).map((name) => name.replace(/\[?=\]?$/, ''));
  return {
    ...spec,
    tune: `${spec.tune ?? ''} ${shows}`,
    add: writes,
    operands: spec.operands ?? 'read',
    judge: (call, reading) =>
      given(reading, ...written) || (always && !given(reading, ...shown))
        ? FORMATS
        : (spec.judge?.(call, reading) ?? judgeChoices(call, reading)),
  };
}

/** Subcommands that only show something, beside those that format. */
const LOOKS: Spec = { operands: 'tune', tune: '--all --output-format= -q --quiet -v --verbose' };

const RUFF =
  '-# -q -v -s -n -e --quiet --verbose --silent --no-cache --isolated --preview --no-preview --target-version= --select= --ignore= --extend-select= --extend-ignore= --per-file-ignores= --fixable= --unfixable= --exclude= --extend-exclude= --respect-gitignore --no-respect-gitignore --force-exclude --exit-zero --stdin-filename= --output-format= --line-length= --color=';
const BIOME =
  '--changed --staged --since= --max-diagnostics= --diagnostic-level= --error-on-warnings --colors= --verbose --only= --skip= --files-ignore-unknown= --no-errors-on-unmatched --stdin-file-path= --log-level= --reporter=';

/** The records of formatters of source code. */
export const FORMATTING: Records = {
  black: formatter(
    { always: true, shows: '--check --diff' },
    {
      dryRun: '--check --diff',
      tune: '-l= -t= -W= -S -C -q -v --line-length= --target-version= --workers= --skip-string-normalization --skip-magic-trailing-comma --skip-source-first-line --pyi --ipynb --preview --unstable --color --no-color --fast --safe --line-ranges= --required-version= --exclude= --extend-exclude= --force-exclude= --include= --stdin-filename= --quiet --verbose',
      idle: '-h',
      load: '--config= -c= --code=',
      control: PYTHON_SETTINGS,
    },
  ),
  isort: formatter(
    {
      always: true,
      shows: '--check --check-only -c --diff --df --stdout -d --show-files --show-settings --show-config',
    },
    {
      dryRun: '--check --check-only --diff -c',
      tune: '-l= -w= -m= -s= -i= -t= -q -v -e --line-length= --profile= --multi-line= --skip= --skip-glob= --sg= --extend-skip= --src= --indent= --top= --quiet --verbose --skip-gitignore --gitignore --atomic --ac --color --only-modified --om --combine-as --ca --trailing-comma --tc --force-single-line-imports --sl --float-to-top --filter-files --line-ending= --py= --python-version= --jobs[=] -j[=] --version-number --lai= --lines-after-imports= --force-sort-within-sections --fss',
      load: '--settings-path= --sp= --settings-file= --settings= --resolve-all-configs --config-root=',
      control: PYTHON_SETTINGS,
    },
  ),
  ruff: {
    dryRun: '--diff',
    global: true,
    tune: '--color= --isolated --no-cache -n -q -v -s --quiet --verbose --silent',
    idle: '-V -h',
    load: '--config=',
    control: NODE_SETTINGS,
    subs: {
      check: formatter(
        { writes: '--fix --fix-only --unsafe-fixes --add-noqa', shows: '--diff' },
        {
          tune: `${RUFF} -w --watch --no-fix --no-unsafe-fixes --show-fixes --show-source --show-files --show-settings --statistics --exit-non-zero-on-fix --ignore-noqa`,
          write: '-o= --output-file=',
          into: '--cache-dir=',
        },
      ),
      format: formatter(
        { always: true, shows: '--check --diff' },
        { tune: `${RUFF} --range= --exit-non-zero-on-format`, into: '--cache-dir=' },
      ),
      'rule linter config version help': LOOKS,
    },
  },
  biome: {
    global: true,
    tune: BIOME,
    load: '--config-path=',
    idle: '-V -h',
    control: NODE_SETTINGS,
    subs: {
      'check lint format ci': formatter(
        { writes: '--write --fix --unsafe --apply --apply-unsafe --suppress' },
        {
          tune: '--indent-style= --indent-width= --line-width= --quote-style= --semicolons= --linter-enabled= --formatter-enabled=',
        },
      ),
      'rage explain version': LOOKS,
    },
  },
  gofmt: formatter(
    { writes: '-w' },
    {
      of: { gofmt: {} },
      singleDash: true,
      tune: '-d -e -l -s -v -r= -local= -format-only',
      write: '-cpuprofile= -memprofile= -trace=',
      load: '-srcdir=',
    },
  ),
  rustfmt: formatter(
    { always: true, shows: '--check' },
    {
      tune: '-l -q -v --files-with-diff --edition= --color= --quiet --verbose',
      load: '--config= --config-path= --print-config=',
    },
  ),
  'clang-format': formatter(
    { writes: '-i --i' },
    {
      singleDash: true,
      tune: '-n --dry-run -style= --style= -Werror --Werror -assume-filename= --assume-filename= -fallback-style= --fallback-style= -lines= --lines= -offset= -length= -cursor= -sort-includes --sort-includes -verbose --verbose -dump-config --dump-config -ferror-limit= --ferror-limit=',
      load: '-files= --files=',
    },
  ),
  shfmt: formatter(
    { writes: '-w --write' },
    {
      singleDash: true,
      tune: '-l --list -d --diff -s --simplify -mn --minify -i= --indent= -ln= --language-dialect= -p --posix -bn -ci -sr -kp -fn -f --find -filename= --filename= -tojson --to-json',
    },
  ),
};
