import { readable } from '../../shell/taint.ts';
import { type StaticVerdict, unknown } from '../../verdict.ts';
import { absolute, fillsDirectory } from '../paths.ts';
import { type CallFacts, given, type Reading, type Records, type Spec, words } from '../record.ts';

const PYTHON_FILES =
  /(^|\/)(conftest\.py|pytest\.ini|setup\.cfg|setup\.py|tox\.ini|pyproject\.toml|\.coveragerc|noxfile\.py|__init__\.py|sitecustomize\.py|usercustomize\.py|[^/]+\.(py|pth))$/;
const NODE_FILES =
  /(^|\/)(package\.json|\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.cjs|tsconfig[^/]*\.json|[^/]+\.([cm]?[jt]sx?|json)|\.(eslint|babel|prettier|mocha|swc)rc[^/]*)$/;

/** What checkers are set up by, some of it code; the sources they look at they do not run. */
const PYTHON_SETTINGS =
  /(^|\/)(mypy\.ini|setup\.cfg|pyproject\.toml|\.?pylintrc(\.toml)?|tox\.ini|\.flake8|\.?bandit(\.ya?ml)?)$/;
const NODE_SETTINGS =
  /(^|\/)(package\.json|\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.cjs|tsconfig[^/]*\.json|\.(eslint|babel|prettier|stylelint)rc[^/]*|[^/]+\.config\.[cm]?[jt]s)$/;

/** Shapes of reports that a checker has of its own; any other name is a module that it loads, or a file. */
const REPORTS =
  /^(stylish|json|json2|json-?lines|json-with-metadata|html|compact|unix|tap|junit|junit-xml|checkstyle|visualstudio|jslint-xml|codeframe|pretty|summary|text|tab|parseable|colorized|msvs|github|github-actions|gitlab|azure|sarif|full|concise|grouped|pylint|rdjson|default|custom|screen|csv|xml|yaml|txt|progress|p|documentation|doc|d|j|h|dot|dots|verbose|spec|min|list|nyan|landing|doc|basic|tree|hanging-process|github-actions|blob|line|simple|clang|emacs|files|fuubar|offenses|worst|quiet|q|o|fu|pa|t|teamcity|colored-line-number|line-number|colored-tab|summaries|agent)$/;
/** Languages that prettier reads by itself. */
const PARSERS =
  /^(babel|babel-flow|babel-ts|flow|typescript|acorn|espree|meriyah|css|less|scss|json|json5|jsonc|json-stringify|graphql|markdown|mdx|vue|yaml|html|angular|lwc|glimmer)$/;

/** What a checker is asked for is its own: no module as format or reader, no options out of a file. */
function judgeChoices(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  if (reading.operands.some(({ text }) => text.startsWith('@'))) return unknown('reads options from a file');
  for (const { name, value = '' } of reading.given) {
    if (
      /^(-f|-R|--format|--formatter|--reporter|--reporters|--output-format|--out-format|-fmt|--printer)$/.test(name)
    ) {
      // pycodestyle and flake8 take a template too.
      if (value !== '' && !REPORTS.test(value) && !(value.includes('%') && /^(flake8|pycodestyle)$/.test(call.program)))
        return unknown(`${name} of ${call.program} may load a module or write a file`);
    } else if (name === '--parser' && !PARSERS.test(value)) return unknown(`--parser of ${call.program} may load code`);
    else if (name === '-W' && call.program === 'pytest' && /\w\.\w/.test(value))
      return unknown('a filter for warnings imports what it names');
  }
  return undefined;
}

/** Tests by their names or by where they lie; any other file of code that is named need not be one. */
const TEST_FILE = /(^|\/)(tests?|specs?|testing|__tests__|features)\/|(^|[/._-])(tests?|specs?)([._-]|$)/i;

/** What a runner of tests is told to run: tests of the project, or its directories. */
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
    if (value !== 'html') return unknown('writes a report over what is there');
    const filled = fillsDirectory(call.machine, 'htmlcov');
    if (filled.verdict !== 'safe') return filled;
  }
  return judgeTests(call, reading) ?? judgeChoices(call, reading);
}

/** Checkers, formatters and test runners: they run the tests of the project, and load what their options name. */
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
        : unknown('runs commands that the project names', { runsFiles: true }),
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
        ? unknown('reads settings of another place')
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
    judge: (call, reading) =>
      given(reading, '--fix') ? unknown('formats files in place') : judgeChoices(call, reading),
  },
  prettier: {
    tune: '-# -c -l -u -v -h --check --list-different --color --no-color --no-error-on-unmatched-pattern --single-quote --tab-width= --print-width= --use-tabs --no-semi --trailing-comma= --end-of-line= --prose-wrap= --parser= --log-level= --loglevel= --no-config --no-cache --stdin-filepath= --support-info --file-info --find-config-path= --no-editorconfig --ignore-unknown',
    add: '--write -w',
    load: '--config= --plugin= --ignore-path=',
    operands: 'project',
    control: NODE_SETTINGS,
    judge: (call, reading) =>
      given(reading, '--write', '-w') ? unknown('formats files in place') : judgeChoices(call, reading),
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
        ? unknown('formats files in place')
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

/** It loads whatever file it is given; what is a test says so by its name or place. */
function judgeMocha({ program }: CallFacts, reading: Reading) {
  const specs = reading.given.flatMap(({ name, value }) => (name === '--spec' && value !== undefined ? [value] : []));
  const odd = [...reading.operands.map(({ text }) => text), ...specs].find((text) => !/test|spec/i.test(text));
  return program === 'mocha' && odd !== undefined
    ? unknown('runs files that are no tests by their names', { runsFiles: true })
    : undefined;
}

type Ways = {
  /** Options with which it only shows what it would change. */
  readonly shows?: string;
  /** Options with which it changes the files. */
  readonly writes?: string;
  /** It changes them unless it is told to show. */
  readonly always?: true;
};

/** A formatter: it changes sources in place unless it only shows. Its letters are its own, so each has its own row. */
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
        ? unknown('formats files in place')
        : (spec.judge?.(call, reading) ?? judgeChoices(call, reading)),
  };
}

/** Of several subcommands: those that only look, beside those that format. */
const LOOKS: Spec = { operands: 'tune', tune: '--all --output-format= -q --quiet -v --verbose' };

const RUFF =
  '-# -q -v -s -n -e --quiet --verbose --silent --no-cache --isolated --preview --no-preview --target-version= --select= --ignore= --extend-select= --extend-ignore= --per-file-ignores= --fixable= --unfixable= --exclude= --extend-exclude= --respect-gitignore --no-respect-gitignore --force-exclude --exit-zero --stdin-filename= --output-format= --line-length= --color=';
const BIOME =
  '--changed --staged --since= --max-diagnostics= --diagnostic-level= --error-on-warnings --colors= --verbose --only= --skip= --files-ignore-unknown= --no-errors-on-unmatched --stdin-file-path= --log-level= --reporter=';

/** Formatters of source code. */
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
