import { FORMATS, type StaticVerdict, unknown } from '../../verdict.ts';
import { isOwnProject, lookAt } from '../paths.ts';
import { type CallFacts, given, type Reading, type Records, type Spec } from '../record.ts';

/** A compiler: its output may be a new file, but not a source or notes. */
const compiler: Spec = {
  helpers: 'cc1 cc1plus f951 as collect2 ld lto1 lto-wrapper',
  tune: '-# -ansi -c -S -E -g -ggdb -g0 -g1 -g2 -g3 -O -O0 -O1 -O2 -O3 -Os -Ofast -Og -Oz -w -W -Wall -Wextra -Werror -Wpedantic -pedantic -pedantic-errors -v -V -pipe -shared -static -static-libgcc -static-libstdc++ -pie -no-pie -fPIC -fpic -fPIE -fpie -fno-pie -pthread -fopenmp -fsyntax-only -M -MM -MG -MP -MT= -MQ= -P -C -x= -D= -U= -m64 -m32 -mavx -mavx2 -msse4.2 -march= -mtune= -std= -nostdlib -nostdinc -ffreestanding -rdynamic -s -dumpversion -dumpmachine -dM -funroll-loops -ffast-math -fno-omit-frame-pointer -fomit-frame-pointer -fno-exceptions -fno-rtti -fno-stack-protector -fstack-protector -fstack-protector-all -fstack-protector-strong -fno-builtin -fno-common -fcommon -fno-strict-aliasing -fsanitize= -fvisibility= -fdiagnostics-color[=] -fmax-errors= -fno-diagnostics-show-caret -fwrapv -flto -Wno-unused -Wno-unused-parameter -Wno-unused-variable -Wno-unused-result -Wno-unused-function -Wno-sign-compare -Wno-deprecated -Wno-deprecated-declarations -Wno-format -Wshadow -Wconversion -Wunused -Wno-implicit-function-declaration -Wno-error -Wno-incompatible-pointer-types -Wno-int-conversion -Wno-format-truncation -print-search-dirs -print-file-name= -print-prog-name= -print-libgcc-file-name -print-multiarch -print-sysroot -stdlib= -fcolor-diagnostics -fno-color-diagnostics -fno-lto -z= -Wl,-rpath[=] -Wl,--as-needed -Wl,--no-as-needed -Wl,--start-group -Wl,--end-group -static-pie -### -fno-inline -lm -lc -lpthread -ldl -lrt -lz -lssl -lcrypto -lstdc++ -lncurses -lcurl -lgmp -lsqlite3 -lpng -ljpeg -lX11 -lGL -lboost_system -lgsl -lreadline -luuid -lxml2',
  read: '-I= -L= -l= -isystem= -include= -imacros= -idirafter= -iquote= --sysroot=',
  write: '-o= -MF= -MJ= -dumpdir= -coverage --coverage -fprofile-arcs -ftest-coverage -gsplit-dwarf -ftime-trace',
  // Makefile rules, and counts of executed code, written beside the output.
  add: '-MD -MMD',
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

/** Cargo’s builds run the build files; its tests run the sources too. */
const CARGO_BUILD: Spec = {
  tune: '-p= -j= -r -F= --package= --workspace --all --exclude= --lib --bins --bin= --examples --example= --tests --test= --benches --bench= --all-targets --release --profile= --features= --all-features --no-default-features --target= --message-format= --keep-going --jobs= --no-run --no-fail-fast  --no-deps --document-private-items --doc --future-incompat-report --timings --open --unit-graph --ignore-rust-version',
  load: '--fix --allow-dirty --allow-staged --allow-no-vcs',
  project: '--manifest-path=',
  into: '--target-dir= --out-dir= --artifact-dir=',
  operands: 'tune',
  judge: judgeCargo,
  control: /(^|\/)(build\.rs|Cargo\.(toml|lock)|rust-toolchain(\.toml)?)$|\.cargo\//,
};

const GO_BUILD: Spec = {
  singleDash: true,
  tune: '-# -v -x -n -a -race -msan -asan -cover -covermode= -coverpkg= -short -failfast -count= -run= -bench= -benchmem -benchtime= -cpu= -parallel= -timeout= -tags= -p= -mod= -trimpath -json -list= -shuffle= -skip= -fuzztime= -vet= -buildvcs=  -work -json  -fullpath -buildmode= -installsuffix=',
  write: '-o= -coverprofile= -cpuprofile= -memprofile= -blockprofile= -mutexprofile= -trace=',
  into: '-outputdir=',
  load: '-exec= -toolexec= -vettool= -ldflags= -gcflags= -asmflags= -gccgoflags= -overlay= -modfile= -C= -compiler= -pkgdir= -fuzz= -c -args -i -linkshared',
  operands: 'read',
  judge: judgeGo,
  control: /(^|\/)go\.(mod|work|sum)$/,
};

/** Compilers and their build tools. */
export const COMPILERS: Records = {
  'gcc g++ cc c++ clang clang++ gfortran': compiler,
  'ld as': {
    ...compiler,
    judge: ({ program, args }, reading) => {
      // The assembler’s `--MD FILE` names a file, while the compiler derives the name for `-MD`.
      if (program === 'as' && args.some(({ text }) => /^--?MD/.test(text))) return unknown('as writes a list of files');
      return given(reading, '-o') ? undefined : unknown('writes over a.out');
    },
  },
  rustc: {
    tune: '-# -g -O -v --crate-name= --crate-type= --edition= --test --target= --cap-lints= --color= --error-format= --explain= --verbose -A= -W= -D= -F= --cfg= --check-cfg= -L= -l= --print= --emit=',
    write: '-o=',
    into: '--out-dir=',
    load: '-C= -Z= --codegen= --extern= --sysroot=',
    operands: 'read',
    argFiles: true,
    judge: judgeRustc,
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
      args.some(({ text }) => /^-(javaagent|agent|XX)/.test(text)) ? unknown('loads its own code first') : undefined,
  },
  javac: {
    singleDash: true,
    tune: '-g -nowarn -verbose -deprecation -Xlint -Xlint:all -Xlint:unchecked -source= -target= -encoding= -parameters -proc:none --release= -Werror',
    // Annotation processors on the path run during compilation.
    load: '-cp= -classpath= -sourcepath= --class-path= -bootclasspath= -processor= -processorpath= -Xplugin=',
    into: '-d= -h= -s=',
    idle: '-version -help',
    operands: 'read',
    argFiles: true,
  },
  cargo: {
    reaches: 'search info add install',
    leaves: { as: 'publish', when: /^publish\b/ },
    values: '--bin --index --vers --version --token',
    dryRun: '--dry-run -n',
    traits: ['runsProject'],
    global: true,
    tune: '-q -v -vv --quiet --verbose --color= --frozen --locked --offline',
    load: '--config= -Z= -C=',
    idle: '-V --version --list --help -h',
    subs: {
      'build b check c doc d clippy rustdoc': CARGO_BUILD,
      'test t bench nextest llvm-cov': {
        ...CARGO_BUILD,
        control: /(^|\/)(Cargo\.(toml|lock)|rust-toolchain(\.toml)?|[^/]+\.rs)$|\.cargo\//,
        judge: (call, reading) =>
          /^(nextest|llvm-cov)$/.test(reading.path[0] ?? '') &&
          /^(clean|archive|self)$/.test(reading.operands[0]?.text ?? '')
            ? unknown('removes or packs build products')
            : judgeCargo(call, reading),
      },
      'tree metadata search info locate-project verify-project pkgid version read-manifest help audit outdated deny': {
        tune: '-p= -i= -e= -d -f= --package= --invert= --depth= --edges= --format= --format-version= --no-deps --all-features --features= --no-default-features --message-format= --workspace --limit= --prefix= --duplicates --charset= --target= --no-dedupe --json',
        project: '--manifest-path=',
        operands: 'tune',
        judge: (_, reading) =>
          (reading.path[0] === 'audit' && reading.operands.length > 0) ||
          (reading.path[0] === 'deny' && !/^(check|list)$/.test(reading.operands[0]?.text ?? ''))
            ? unknown(`cargo ${reading.path[0]} may change files`)
            : undefined,
      },
      fmt: {
        tune: '--check --all -p= --package= --message-format=',
        operands: 'tune',
        judge: (_, reading) => (given(reading, '--check') ? undefined : FORMATS),
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
        operands: 'package',
      },
      install: {
        tune: '-j= -F= --jobs= --bin= --bins --example= --features= --all-features --no-default-features --version= --target= --debug --profile=',
        load: '--git= --path= --registry= --index= --root= --target-dir=',
        delete: '-f --force',
        operands: 'package',
      },
      'remove rm update vendor generate-lockfile fix': {
        dry: '-n --dry-run',
        tune: '-p= -F= --dev --build --features= --optional --no-default-features --rename= --package= --precise= --aggressive --workspace --manifest-path= --target=',
        load: '--git= --path= --registry= --branch= --tag= --rev=',
        operands: 'tune',
        judge: (call, reading) =>
          given(reading, '-n', '--dry-run') || call.operands[0]?.text === 'fetch'
            ? undefined
            : unknown('changes the project’s dependencies'),
      },
      'uninstall run r miri bloat expand watch login owner yank': {
        open: 'runs or installs a program',
        runsFiles: true,
        operands: 'judged',
        tune: '-p= --bin= --example= --release --features= --force --path= --git= --root= --version=',
      },
    },
  },
  go: {
    reaches: 'list get mod',
    traits: ['runsProject'],
    singleDash: true,
    subs: {
      'build vet': GO_BUILD,
      test: { ...GO_BUILD, control: /(^|\/)(go\.(mod|work|sum)|[^/]+\.(go|c|h|s))$/ },
      'list version doc env': {
        singleDash: true,
        tune: '-m -f= -json[=] -deps -test -u -versions -e -find -compiled  -all -src -short -c -cmd -mod= -changed -retracted -tags=',
        delete: '-w -u',
        load: '-toolexec= -modfile= -http -overlay=',
        operands: 'read',
        judge: judgeGo,
      },
      mod: {
        subs: {
          'graph why verify': { singleDash: true, tune: '-m -vendor -go=', operands: 'tune' },
          download: { singleDash: true, tune: '-x -json', operands: 'tune' },
          // `go mod init` refuses to replace an existing go.mod.
          init: { singleDash: true, operands: 'tune' },
          'tidy vendor edit': {
            singleDash: true,
            tune: '-v -e -go= -compat= -diff',
            open: 'changes the project’s dependencies',
            operands: 'tune',
          },
        },
      },
      fmt: { tune: '-n -x', singleDash: true, operands: 'read', judge: () => FORMATS },
      help: { operands: 'tune' },
      'get install': { singleDash: true, tune: '-u -t -v -x -d', load: '-toolexec= -insecure', operands: 'package' },
      'run generate tool work clean fix bug telemetry': {
        open: 'runs or changes something of the project',
        runsFiles: true,
        operands: 'judged',
        singleDash: true,
        tune: '-v -x -n -u -t -d -modcache -cache -testcache -race -tags= -mod=',
        load: '-exec= -toolexec= -ldflags=',
      },
    },
  },
};

/** Words after `--` are for the tests: options of their own runner. */
const TEST_WORDS =
  /^(--|--(nocapture|no-capture|ignored|include-ignored|exact|show-output|list|quiet|test)|--(test-threads|color|format|skip)(=[\w-]+)?|-q|-[ADWF]|[\w:.]+|clippy::\w+)$/;

function judgeCargo(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const odd =
    call.args.some(({ text }) => text === '--') && reading.operands.some(({ text }) => !TEST_WORDS.test(text));
  return odd ? unknown('passes arguments to the tests') : undefined;
}

/** A directory, a file, or a standard package of go: other modules begin with the name of a host. */
const OWN_PACKAGE = /^(\.{1,2}(\/.*)?|[\w/-]+(\/\.\.\.)?|[\w./-]+\.go)$/;

/** Judges go: `-mod=mod` lets it rewrite the project’s dependencies. */
function judgeGo({ machine }: CallFacts, reading: Reading): StaticVerdict | undefined {
  const builds = /^(build|test|vet)$/.test(reading.path[0] ?? '');
  for (const { text } of builds ? reading.operands : [])
    if (!OWN_PACKAGE.test(text) || !isOwnProject(machine, text))
      return unknown('builds the code of another place', { runsFiles: true });
  const mode = reading.given.findLast(({ name }) => name === '-mod')?.value;
  return mode === undefined || /^(readonly|vendor)$/.test(mode)
    ? undefined
    : unknown('changes the project’s dependencies');
}

/** Judges what rustc prints about itself; `--print KIND=FILE` and `--emit KIND=FILE` write to a file. */
function judgeRustc({ machine }: CallFacts, reading: Reading): StaticVerdict | undefined {
  for (const { name, value = '' } of reading.given)
    if (/^--(print|emit)$/.test(name) && value.includes('=')) return unknown(`${name} of rustc writes a file`);
  const source = reading.operands[0]?.text;
  if (source === undefined || given(reading, '-o', '--out-dir', '--print', '--explain')) return undefined;
  const target = source.slice(source.lastIndexOf('/') + 1).replace(/\.rs$/, '');
  return machine.files && /^(file|unseen)$/.test(lookAt(machine, target))
    ? unknown('may overwrite existing files')
    : undefined;
}

/** Judges files for deno: files of the project are local, while an address would be fetched. */
function denoFiles(_: CallFacts, reading: Reading) {
  return reading.operands.some(({ text }) => /^\w+:|^\/|(^|\/)\.\.(\/|$)/.test(text))
    ? unknown('reads code from elsewhere')
    : undefined;
}

/** Judges options of python: `-W error::module.Category` imports the module; some `-X` options load, some write. */
function judgePython(_: CallFacts, reading: Reading) {
  const odd = reading.given.find(({ name, value = '' }) => PYTHON_VALUES[name]?.test(value) === false);
  return odd ? unknown(`an unknown option ${odd.name} of python`) : undefined;
}

const PYTHON_VALUES: Readonly<Record<string, RegExp>> = {
  '-W': /^\w+(:[^:]*(:\w*(:[\w.]*(:\d*)?)?)?)?$/,
  '-X': /^(dev|utf8(=[01])?|importtime|faulthandler|tracemalloc(=\d+)?|no_debug_ranges|int_max_str_digits=\d+)$/,
};

/** The records of interpreters. A reader judges their code; the records describe the other options. */
export const LANGUAGES: Records = {
  python: {
    code: /^-\w*c$/,
    stopsAtOperand: true,
    tune: '-c= -m= -b -B -d -E -I -O -OO -q -s -S -u -v -x -P -W= -X=',
    judge: judgePython,
    idle: '-V -VV -h --version --help',
    last: '-c -m',
    operands: 'judged',
  },
  node: {
    code: /^(-\w*[ep]|--eval|--print|-pe)$/,
    stopsAtOperand: true,
    tune: '-e= -p= -c -i -pe= -v --eval= --print= --check --test --test-only --test-name-pattern= --test-reporter= --watch --no-warnings --trace-warnings --trace-deprecation --max-old-space-size= --stack-trace-limit= --input-type= --expose-gc --enable-source-maps --experimental-strip-types --experimental-vm-modules --harmony --throw-deprecation --unhandled-rejections= --no-deprecation --v8-options',
    load: '-C= --conditions= -r= --require= --import= --loader= --experimental-loader= --env-file= --openssl-config= --icu-data-dir= --run= --inspect[=] --inspect-brk[=] --build-snapshot --experimental-sea-config=',
    write:
      '--heapsnapshot-signal= --diagnostic-dir= --redirect-warnings= --report-on-signal --prof --logfile= --test-reporter-destination= --test-update-snapshots --trace-event-categories=',
    into: '--cpu-prof-dir= --heap-prof-dir=',
    add: '--cpu-prof --heap-prof',
    operands: 'judged',
  },
  perl: {
    code: /^-[\w.]*[eE]$/,
    values: '-M -m',
    traits: ['printsSetup'],
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
    code: /^-\w*e$/,
    stopsAtOperand: true,
    tune: '-n -p -l -a -w -W[=] -c -v -s -0[=] -F= -e= -r= -i[=] -U -E= -K[=]',
    load: '-I= -C= -S -x[=] -d --encoding=',
    operands: 'judged',
    judge: (call) =>
      call.args.some(({ text }) => /^\s*\|/.test(text)) ? unknown('ruby opens such names as commands') : undefined,
  },
  php: {
    code: /^-\w*[rBRE]$/,
    stopsAtOperand: true,
    tune: '-r= -B= -R= -E= -l -m -i -n -s -w -a -q',
    idle: '-v -h',
    load: '-d= -c= -f= -z= -S= -t=',
    operands: 'judged',
  },
  'lua Rscript R julia groovy osascript elixir scala tclsh expect guile sbcl ghc': {
    of: {
      lua: { code: /^-e$/ },
      'Rscript R groovy osascript elixir scala ghc': { code: /^-e$/ },
      julia: { code: /^(-e|-E|--eval)$/ },
      'tclsh guile': { code: /^-c$/ },
      expect: { code: /^-c$/, wraps: { code: '' } },
      sbcl: { code: /^--eval$/ },
    },
    stopsAtOperand: true,
    tune: '-e= -E= --eval= -q -s --vanilla --slave --no-save --quiet -c= -l= --version',
    operands: 'judged',
  },
  mongosh: {
    code: /^--eval$/,
    traits: ['sends'],
    tune: '--eval= --quiet --host= --port= -u= -p= --username= --password= --authenticationDatabase= --json[=] --norc --tls --retryWrites',
    load: '-f= --file= --shell --tlsCAFile=',
    operands: 'judged',
  },
  deno: {
    values: '-c --config --import-map',
    traits: ['runsProject'],
    tune: '-q --quiet -L= --log-level=',
    idle: '-V --version -h',
    subs: {
      // Without `--allow-…` deno prevents the code from writing, sending and starting anything.
      test: {
        tune: '--filter= --doc --no-run --fail-fast[=] --parallel --quiet --reporter= --shuffle[=] --watch --trace-leaks --permit-no-files --ignore= --no-check[=] -q',
        operands: 'read',
        control: /\.([cm]?[jt]sx?|jsonc?)$/,
        judge: denoFiles,
      },
      'check info lint': {
        tune: '--all --json --compact --rules --rules-tags= --rules-include= --rules-exclude= --quiet --ignore= --ext= --doc --doc-only -q',
        operands: 'read',
        control: /\.([cm]?[jt]sx?|jsonc?)$/,
        judge: denoFiles,
      },
      fmt: {
        tune: '--check --ext= --ignore= --quiet --line-width= --indent-width= --single-quote --no-semicolons --use-tabs --prose-wrap= -q',
        operands: 'read',
        judge: (call, reading) => (given(reading, '--check') ? denoFiles(call, reading) : FORMATS),
      },
      doc: { tune: '--json --private --filter= --quiet', operands: 'read', judge: denoFiles },
      eval: { tune: '-p --print --ext= -q --quiet', operands: 'judged' },
      'types completions help outdated': { operands: 'tune' },
    },
  },
  bun: {
    values: '--prefix -w --workspace --registry --tag --loglevel --otp --userconfig --cache -C',
    code: /^(-e|--eval|-p|--print)$/,
    traits: ['runsProject'],
    tune: '-e= -p= --eval= --print= --silent',
    load: '--cwd= --config= -c= --preload= -r= --require= --import= --env-file= --inspect[=]',
    idle: '-v --version --revision -h --help',
    subs: {
      '': {
        operands: 'judged',
        judge: (_, reading) =>
          reading.operands.length > 0 && !given(reading, '-e', '-p', '--eval', '--print')
            ? unknown('runs a script of the project', { runsFiles: true })
            : undefined,
      },
      test: {
        tune: '-t= --timeout= --bail[=] --only --todo --rerun-each= --coverage --test-name-pattern=',
        delete: '-u --update-snapshots',
        operands: 'project',
        control: /\.([cm]?[jt]sx?|json|toml)$/,
      },
      pm: { subs: { 'ls hash bin': { tune: '--all -g' } } },
      'outdated why info': { operands: 'tune' },
      'install i add a': {
        operands: 'package',
        control: /\.([cm]?[jt]sx?|json|toml)$/,
        tune: '-d -D -E -g --dev --exact --global --save',
      },
      'x run create init remove rm update upgrade link unlink build publish pack patch repl exec': {
        operands: 'judged',
        open: 'runs or changes the project',
        runsFiles: true,
        tune: '-# -b -d -D -E -g -p -y --dev --exact --global --production --frozen-lockfile --save --bun --watch --hot',
      },
    },
    global: true,
  },
};
