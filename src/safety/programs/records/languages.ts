import { unknown } from '../../verdict.ts';
import { type CallFacts, given, type Reading, type Records, type Spec } from '../record.ts';

const PYTHON_FILES =
  /(^|\/)(conftest\.py|pytest\.ini|setup\.cfg|setup\.py|tox\.ini|pyproject\.toml|\.coveragerc|noxfile\.py|__init__\.py|sitecustomize\.py|usercustomize\.py|[^/]+\.(py|pth))$/;
const NODE_FILES =
  /(^|\/)(package\.json|\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.cjs|tsconfig[^/]*\.json|[^/]+\.([cm]?[jt]sx?|json)|\.(eslint|babel|prettier|mocha|swc)rc[^/]*)$/;

/** A file a compiler makes: new names are fine, sources and notes are not. */
const compiler: Spec = {
  helpers: 'cc1 cc1plus f951 as collect2 ld lto1 lto-wrapper',
  tune: '-# -ansi -c -S -E -g -ggdb -g0 -g1 -g2 -g3 -O -O0 -O1 -O2 -O3 -Os -Ofast -Og -Oz -w -W -Wall -Wextra -Werror -Wpedantic -pedantic -pedantic-errors -v -V -pipe -shared -static -static-libgcc -static-libstdc++ -pie -no-pie -fPIC -fpic -fPIE -fpie -fno-pie -pthread -fopenmp -fsyntax-only -M -MM -MG -MP -MT= -MQ= -P -C -x= -D= -U= -m64 -m32 -mavx -mavx2 -msse4.2 -march= -mtune= -std= -nostdlib -nostdinc -ffreestanding -rdynamic -s -dumpversion -dumpmachine -dM -funroll-loops -ffast-math -fno-omit-frame-pointer -fomit-frame-pointer -fno-exceptions -fno-rtti -fno-stack-protector -fstack-protector -fstack-protector-all -fstack-protector-strong -fno-builtin -fno-common -fcommon -fno-strict-aliasing -fsanitize= -fvisibility= -fdiagnostics-color[=] -fmax-errors= -fno-diagnostics-show-caret -fwrapv -flto -Wno-unused -Wno-unused-parameter -Wno-unused-variable -Wno-unused-result -Wno-unused-function -Wno-sign-compare -Wno-deprecated -Wno-deprecated-declarations -Wno-format -Wshadow -Wconversion -Wunused -Wno-implicit-function-declaration -Wno-error -Wno-incompatible-pointer-types -Wno-int-conversion -Wno-format-truncation -print-search-dirs -print-file-name= -print-prog-name= -print-libgcc-file-name -print-multiarch -print-sysroot -stdlib= -fcolor-diagnostics -fno-color-diagnostics -fno-lto -z= -Wl,-rpath[=] -Wl,--as-needed -Wl,--no-as-needed -Wl,--start-group -Wl,--end-group -static-pie -### -fno-inline -lm -lc -lpthread -ldl -lrt -lz -lssl -lcrypto -lstdc++ -lncurses -lcurl -lgmp -lsqlite3 -lpng -ljpeg -lX11 -lGL -lboost_system -lgsl -lreadline -luuid -lxml2',
  read: '-I= -L= -l= -isystem= -include= -imacros= -idirafter= -iquote= --sysroot=',
  write:
    '-o= -MF= -MJ= -save-temps[=] -MD -MMD -dumpdir= -coverage --coverage -fprofile-arcs -ftest-coverage -gsplit-dwarf -ftime-trace',
  load: '-wrapper= -fplugin= -B= -specs= -fuse-ld= -Xclang= -load= -mllvm= -Xlinker= -T=',
  singleDash: true,
  operands: 'read',
  judge: (call, reading) => judgeCompiler(call, reading),
};

function judgeCompiler(call: CallFacts, reading: Reading) {
  if (reading.operands.some(({ text }) => text.startsWith('@'))) return unknown('reads options from a file');
  if (given(reading, '-o', '-fsyntax-only', '-E', '-M', '-MM', '-###', '-S') || reading.operands.length === 0)
    return undefined;
  const { cwd } = call.machine.scope;
  if (call.machine.files && cwd !== undefined && call.machine.files.stat(`${cwd}/a.out`))
    return unknown('writes over a.out');
  return undefined;
}

/** Interpreters: their code is judged by its reader, here only the options beside it. */
export const LANGUAGES: Records = {
  python: {
    stopsAtOperand: true,
    tune: '-c= -m= -b -B -d -E -I -O -OO -q -s -S -u -v -x -P -W= -X=',
    idle: '-V -VV -h --version --help',
    last: '-c -m',
    operands: 'judged',
  },
  node: {
    stopsAtOperand: true,
    tune: '-e= -p= -c -i -pe= -v --eval= --print= --check --test --test-only --test-name-pattern= --test-reporter= --watch --no-warnings --trace-warnings --trace-deprecation --max-old-space-size= --stack-trace-limit= --input-type= --expose-gc --enable-source-maps --experimental-strip-types --experimental-vm-modules --harmony --throw-deprecation --unhandled-rejections= --no-deprecation -C= --conditions= --v8-options',
    load: '-r= --require= --import= --loader= --experimental-loader= --env-file= --openssl-config= --icu-data-dir= --run= --inspect[=] --inspect-brk[=] --build-snapshot --experimental-sea-config=',
    write:
      '--cpu-prof --heap-prof --cpu-prof-dir= --heapsnapshot-signal= --diagnostic-dir= --redirect-warnings= --report-on-signal --prof --logfile= --test-reporter-destination= --test-update-snapshots --trace-event-categories=',
    operands: 'judged',
  },
  perl: {
    stopsAtOperand: true,
    tune: '-n -p -l[=] -a -w -W -c -v -V -X -t -T -s -u -U -0[=] -F= -e= -E= -M[=] -m[=] -I= -i[=] -C[=]',
    load: '-d[=] -S -x[=] -f',
    operands: 'judged',
    judge: (call) =>
      call.args.some(({ text }) => /^\s*[<>|+]|\|\s*$/.test(text))
        ? unknown('perl opens such names as commands or for writing')
        : undefined,
  },
  ruby: {
    stopsAtOperand: true,
    tune: '-n -p -l -a -w -W[=] -c -v -s -0[=] -F= -e= -r= -i[=] -U -E= -K[=]',
    load: '-I= -C= -S -x[=] -d --encoding=',
    operands: 'judged',
    judge: (call) =>
      call.args.some(({ text }) => /^\s*\|/.test(text)) ? unknown('ruby opens such names as commands') : undefined,
  },
  php: {
    stopsAtOperand: true,
    tune: '-r= -B= -R= -E= -l -m -i -n -s -w -a -q',
    idle: '-v -h',
    load: '-d= -c= -f= -z= -S= -t=',
    operands: 'judged',
  },
  'lua Rscript R julia groovy osascript elixir scala tclsh expect guile sbcl ghc': {
    stopsAtOperand: true,
    tune: '-e= -E= --eval= -q -s --vanilla --slave --no-save --quiet -c= -l= --version',
    operands: 'judged',
  },
  mongosh: {
    tune: '--eval= --quiet --host= --port= -u= -p= --username= --password= --authenticationDatabase= --json[=] --norc --tls --retryWrites',
    load: '-f= --file= --shell --tlsCAFile=',
    operands: 'judged',
  },
  deno: { stopsAtOperand: true, operands: 'judged', tune: '-q', idle: '-V --version' },
  'bun tcc': {
    stopsAtOperand: true,
    operands: 'judged',
    tune: '-e= -p= --eval= --print=',
    judge: (call) => (call.program === 'tcc' ? unknown('tcc can run what it compiles') : undefined),
  },
  'gcc g++ cc c++ clang clang++ x86_64-linux-gnu-gcc x86_64-linux-gnu-g++ gfortran': compiler,
  'ld as': { ...compiler, judge: (_, reading) => (given(reading, '-o') ? undefined : unknown('writes over a.out')) },
  rustc: {
    tune: '-# -g -O -v --crate-name= --crate-type= --edition= --test --target= --cap-lints= --color= --error-format= --explain= --verbose -A= -W= -D= -F= --cfg= --check-cfg= -L= -l= --print=',
    write: '-o= --out-dir= --emit=',
    load: '-C= -Z= --codegen= --extern= --sysroot=',
    operands: 'read',
  },
  java: {
    singleDash: true,
    tune: '-showversion -Xmx= -Xms= -ea -da',
    load: '-javaagent= -agentlib= -agentpath=',
    idle: '-version -help -X -fullversion --version --list-modules',
    operands: 'judged',
    open: 'runs a program of the project',
    runsFiles: true,
    judge: ({ args }) =>
      args.some(({ text }) => /^-(javaagent|agent|XX)/.test(text)) ? unknown('loads code of its own first') : undefined,
  },
  javac: {
    singleDash: true,
    tune: '-g -nowarn -verbose -deprecation -Xlint -Xlint:all -Xlint:unchecked -source= -target= -encoding= -parameters -proc:none --release= -Werror',
    read: '-cp= -classpath= -sourcepath= --class-path= -bootclasspath=',
    add: '-d= -h= -s=',
    load: '-processor= -processorpath= -Xplugin=',
    idle: '-version -help',
    operands: 'read',
    judge: (_, reading) =>
      reading.operands.some(({ text }) => text.startsWith('@')) ? unknown('reads options from a file') : undefined,
  },
  'kotlinc scalac swiftc': {
    tune: '-verbose -nowarn',
    idle: '-version -help',
    open: 'compiles with plugins of its own',
    operands: 'read',
  },
  'pytest py.test': {
    tune: '-# -q -qq -v -vv -vvv -x -s -l -k= -m= -n= -r= -h --tb= --maxfail= --durations= --lf --ff --nf --last-failed --failed-first --no-header --no-summary --collect-only --co --cov[=] --cov-branch --no-cov --color= --disable-warnings --strict-markers --strict-config --showlocals --verbose --quiet --exitfirst --capture= --timeout=  --fixtures --markers --stepwise --sw --reruns= --asyncio-mode= --deselect= --ignore= --ignore-glob= --benchmark-skip --benchmark-only --dist= --numprocesses= --cov-report= --cov-fail-under= --random-order --runslow -W= -ra -rA -rs -rf',
    write: '--junitxml= --junit-xml= --log-file= --resultlog= --report-log=',
    load: '-p= -c= -o= --rootdir= --confcutdir= --import-mode= --pyargs --pastebin= --override-ini= --cov-config=',
    delete: '--basetemp= --cache-clear',
    operands: 'read',
    control: PYTHON_FILES,
    judge: (_, reading) =>
      reading.given.some(({ name, value }) => name === '--cov-report' && /:/.test(value ?? ''))
        ? unknown('writes a report over what is there')
        : undefined,
  },
  'tox nox': {
    tune: '-# -e= -l -v -q -s= -p --list --notest --parallel[=] ',
    load: '-c= -f= --override= -x=',
    operands: 'tune',
    control: PYTHON_FILES,
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
  'mypy pyright flake8 pylint pyflakes pycodestyle pydocstyle bandit vulture radon interrogate': {
    tune: '-# -p= -m= -c= -v -q -i -r -ll -l -s= -f= -n= -x= -j= -e= -a --strict --ignore-missing-imports --show-error-codes --pretty --no-error-summary --python-version= --follow-imports= --exclude= --max-line-length= --select= --ignore= --extend-ignore= --count --statistics --show-source --disable= --enable= --output-format= --reports= --score= --fail-under=  --namespace-packages --explicit-package-bases --check-untyped-defs --disallow-untyped-defs --no-incremental --warn-unused-ignores --max-complexity= --jobs= --errors-only -E --outputjson --warnings --no-strict-optional --hide-error-context --format= --verbose --quiet',
    load: '--config= --config-file= --rcfile= --init-hook= --load-plugins= --install-types --non-interactive --plugin= --project= --custom-typeshed-dir= --python-executable=',
    write: '--output= --output-file= -o= --cache-dir= --junit-xml= --html-report= --txt-report= --xml-report=',
    operands: 'read',
    control: PYTHON_FILES,
  },
  'black isort autopep8 yapf autoflake pyupgrade ruff prettier eslint stylelint biome standard xo rubocop gofmt goimports rustfmt clang-format shfmt clang-tidy swiftformat ktlint djlint':
    {
      tune: '-# -d -l -q -v -e -s -S -t= -C --check --diff --check-only --list-different --dry-run --color --no-color --quiet --verbose --line-length= --target-version= --skip-string-normalization --fast --safe --exclude= --include= --profile= --max-warnings= --ext= --format= --no-error-on-unmatched-pattern --ignore-path= --ignore-pattern= --no-eslintrc --select= --ignore= --extend-select= --output-format= --statistics --show-fixes --show-source --no-cache --exit-zero --preview --style= --recursive --report-unused-disable-directives --single-quote --tab-width= --print-width= --parser= --quiet --log-level= --no-config --no-fix --statistics  --max-line-length= --aggressive -a -n -r  --quiet-level= --formatter= --only= --except= --fail-level= --parallel --force-exclusion --explain= --show-files --show-settings',
      add: '--write -w --fix --in-place --inplace -i -A --autocorrect --auto-correct --unsafe-fixes --fix-only --fix-type= --add-noqa -x=',
      load: '-c --config= --rulesdir= --plugin= --resolve-plugins-relative-to= --settings-path= --settings= --require= -p=',
      write: '-o= --output-file= --cache --cache-location= --cpuprofile=',
      operands: 'read',
      control: NODE_FILES,
      judge: (call, reading) => judgeFormatter(call, reading),
    },
  'tsc vue-tsc': {
    tune: '-#  -p= -v -w --noEmit --project= --pretty --strict --skipLibCheck --watch --listFiles --showConfig --noEmitOnError --target= --module= --lib= --jsx= --esModuleInterop --allowJs --checkJs --moduleResolution= --noImplicitAny --types= --extendedDiagnostics --diagnostics --traceResolution --incremental',
    idle: '-h -v',
    delete: '--outDir= --declarationDir=',
    write: '--outFile= --tsBuildInfoFile= --generateTrace= --generateCpuProfile=',
    load: '--init --build --plugins=',
    operands: 'read',
    judge: (call, reading) =>
      call.machine.files && !given(reading, '--noEmit', '--showConfig', '--listFilesOnly')
        ? unknown('writes what it compiles')
        : undefined,
  },
  'jest vitest mocha ava karma playwright cypress': {
    tune: '-# -t= -g= -i -w= -R= -f= -b --run --coverage --watch --watchAll[=] --runInBand --testNamePattern= --testPathPattern= --verbose --silent --ci --bail[=] --maxWorkers= --passWithNoTests --detectOpenHandles --forceExit --onlyChanged --no-coverage --listTests --reporter= --reporters= --grep= --timeout= --no-color --color --findRelatedTests --related --changed[=] --colors --testTimeout= --headed --project= --no-cache --spec= --browser= --headless --run-in-band  --exit',
    write: '--outputFile= --json',
    load: '--config= -c= -r= --require= --globalSetup= --setupFiles= --testEnvironment= --import= --loader= --preset= --transform=',
    delete: '-u --update --updateSnapshot --clearCache --clear-cache',
    subs: {
      '': { operands: 'read' },
      'run test list show-report  bench': { operands: 'read', tune: '--run' },
    },
    global: true,
    control: NODE_FILES,
  },
  'rspec phpunit cucumber behave phpstan psalm phpcs brakeman': {
    tune: '-# -f= -e= -t= -v  -p -l= --format= --example= --tag= --fail-fast --color --filter= --testdox --colors[=] --stop-on-failure --level= --memory-limit= --standard= --extensions= --no-progress --list-tests --group= --testsuite= --order= --seed= -n -q --no-color',
    load: '-r= --require= --bootstrap= -c= --configuration= --prepend=',
    write: '-o= --out= --log-junit= --coverage-html= --report-file=',
    operands: 'read',
    control: /\.(rb|php|xml|yml|yaml|rspec)$/,
  },
  cargo: {
    global: true,
    tune: '-q -v -vv --quiet --verbose --color= --frozen --locked --offline',
    load: '--config= -Z= -C=',
    idle: '-V --version --list --help -h',
    subs: {
      'build b check c test t bench doc d clippy rustdoc nextest llvm-cov': {
        tune: '-p= -j= -r -F= --package= --workspace --all --exclude= --lib --bins --bin= --examples --example= --tests --test= --benches --bench= --all-targets --release --profile= --features= --all-features --no-default-features --target= --manifest-path= --message-format= --keep-going --jobs= --no-run --no-fail-fast  --no-deps --document-private-items --doc --future-incompat-report --timings --unit-graph --ignore-rust-version -A -D -W --nocapture --ignored --test-threads= --exact --show-output',
        load: '--fix --allow-dirty --allow-staged --allow-no-vcs --open',
        write: '--target-dir= --out-dir= --artifact-dir=',
        operands: 'tune',
        control: /(^|\/)(build\.rs|Cargo\.(toml|lock)|rust-toolchain(\.toml)?|[^/]+\.rs)$|\.cargo\//,
      },
      'tree metadata search info locate-project verify-project pkgid version read-manifest help audit outdated deny': {
        tune: '-p= -i= -e= -d -f= --package= --invert= --depth= --edges= --format= --format-version= --no-deps --all-features --features= --no-default-features --manifest-path= --message-format= --workspace --limit= --prefix= --duplicates --charset= --target= --no-dedupe --json',
        operands: 'tune',
      },
      fmt: {
        tune: '--check --all -p= --package= --message-format=',
        operands: 'tune',
        judge: (_, reading) => (given(reading, '--check') ? undefined : unknown('formats files in place')),
      },
      'new init': { tune: '--bin --lib --name= --edition= --vcs=', operands: 'add' },
      clean: {
        dry: '-n --dry-run',
        tune: '-p= --release --doc --target= --package= --profile=',
        open: 'deletes what it built',
      },
      'publish package': {
        dry: '-n --dry-run',
        tune: '-p= --list --allow-dirty --no-verify --manifest-path= --package= --registry=',
        operands: 'tune',
        judge: (_, reading) =>
          given(reading, '--list') || given(reading, '-n', '--dry-run') ? undefined : unknown('publishes a package'),
      },
      'add fetch': {
        dry: '-n --dry-run',
        tune: '-p= -F= --dev --build --features= --optional --no-default-features --rename= --package= --manifest-path= --target= --locked',
        load: '--git= --path= --registry= --branch= --tag= --rev=',
        operands: 'tune',
      },
      'remove rm update vendor generate-lockfile fix': {
        dry: '-n --dry-run',
        tune: '-p= -F= --dev --build --features= --optional --no-default-features --rename= --package= --precise= --aggressive --workspace --manifest-path= --target=',
        load: '--git= --path= --registry= --branch= --tag= --rev=',
        operands: 'tune',
        judge: (call, reading) =>
          given(reading, '-n', '--dry-run') || call.operands[0]?.text === 'fetch'
            ? undefined
            : unknown('changes what the project depends on'),
      },
      'install uninstall run r miri bloat expand watch login owner yank': {
        open: 'runs or installs a program',
        runsFiles: true,
        operands: 'judged',
        tune: '-p= --bin= --example= --release --features= --force --path= --git= --root= --version=',
      },
    },
  },
  rustup: {
    subs: {
      'update self': {},
      'show which check doc': { tune: '-v --toolchain= --verbose', subs: { '': { operands: 'tune' } } },
      'toolchain target component override': { subs: { list: { tune: '-v --installed --toolchain= --verbose -q' } } },
    },
  },
  go: {
    singleDash: true,
    subs: {
      'build test vet': {
        singleDash: true,
        tune: '-# -v -x -n -a -race -msan -asan -cover -covermode= -coverpkg= -short -failfast -count= -run= -bench= -benchmem -benchtime= -cpu= -parallel= -timeout= -tags= -p= -trimpath -mod= -json -list= -shuffle= -skip= -fuzztime= -vet= -buildvcs=  -work -json  -fullpath -buildmode= -installsuffix=',
        write: '-o= -coverprofile= -cpuprofile= -memprofile= -blockprofile= -mutexprofile= -trace= -outputdir=',
        load: '-exec= -toolexec= -vettool= -ldflags= -gcflags= -asmflags= -gccgoflags= -overlay= -modfile= -C= -compiler= -pkgdir= -fuzz= -c -args -i -linkshared',
        operands: 'read',
        control: /(^|\/)(go\.(mod|work|sum)|[^/]+\.(go|c|h|s))$/,
      },
      'list version doc env': {
        singleDash: true,
        tune: '-m -f= -json[=] -deps -test -u -versions -e -find -compiled  -all -src -short -c -cmd -mod= -changed -retracted -tags=',
        delete: '-w -u',
        load: '-toolexec= -modfile= -http -overlay=',
        operands: 'read',
      },
      mod: {
        subs: {
          'graph why verify': { singleDash: true, tune: '-m -vendor -go=', operands: 'tune' },
          download: { singleDash: true, tune: '-x -json', operands: 'tune' },
          'tidy vendor edit init': {
            singleDash: true,
            tune: '-v -e -go= -compat= -diff',
            open: 'changes what the project depends on',
            operands: 'tune',
          },
        },
      },
      fmt: { tune: '-n -x', singleDash: true, operands: 'read', open: 'formats files in place' },
      help: { operands: 'tune' },
      get: {
        singleDash: true,
        tune: '-u -t -v -x -d',
        load: '-toolexec= -insecure',
        operands: 'tune',
        judge: (_, reading) =>
          reading.operands.every(({ text }) => /^[\w.-]+\.[a-z]+\/[\w./@-]+$/.test(text))
            ? undefined
            : unknown('changes what the project depends on'),
      },
      'run generate tool install work clean fix bug telemetry': {
        open: 'runs or changes something of the project',
        runsFiles: true,
        operands: 'judged',
        singleDash: true,
        tune: '-v -x -n -u -t -d -modcache -cache -testcache -race -tags= -mod=',
        load: '-exec= -toolexec= -ldflags=',
      },
    },
  },
  'golangci-lint staticcheck golint gosec govulncheck': {
    tune: '-# -v -E= -D= --timeout= --fast --enable= --disable= --issues-exit-code= --disable-all --enable-all -checks= -tests= -f= -fmt= -exclude=',
    write: '--out-format= -out=',
    load: '--fix -c= --config=',
    subs: { '': { operands: 'read' }, 'run linters version help': { operands: 'read' } },
    global: true,
  },
};

function judgeFormatter(call: CallFacts, reading: Reading) {
  const checks = given(reading, '--check', '--diff', '--check-only', '-l', '-d', '--list-different', '--dry-run', '-c');
  const writes = given(
    reading,
    '--write',
    '-w',
    '--fix',
    '--in-place',
    '--inplace',
    '-i',
    '-A',
    '-a',
    '--autocorrect',
    '--auto-correct',
    '--fix-only',
    '--unsafe-fixes',
    '--add-noqa',
  );
  const always =
    /^(black|isort|rustfmt|yapf|swiftformat|autoflake|pyupgrade)$/.test(call.program) ||
    (call.program === 'ruff' && reading.operands[0]?.text === 'format');
  return (writes && !given(reading, '--check', '--diff', '--check-only', '--dry-run', '--list-different')) ||
    (always && !checks)
    ? unknown('formats files in place')
    : undefined;
}
