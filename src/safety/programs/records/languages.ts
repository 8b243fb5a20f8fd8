import { unknown } from '../../verdict.ts';
import { type CallFacts, given, type Reading, type Records } from '../record.ts';

/** Files of the project; an address would be fetched. */
function denoFiles(_: CallFacts, reading: Reading) {
  return reading.operands.some(({ text }) => /^\w+:|^\/|(^|\/)\.\.(\/|$)/.test(text))
    ? unknown('reads code from elsewhere')
    : undefined;
}

/** `-W error::module.Category` imports the module; of `-X` some load, some write. */
function judgePython(_: CallFacts, reading: Reading) {
  const odd = reading.given.find(({ name, value = '' }) => PYTHON_VALUES[name]?.test(value) === false);
  return odd ? unknown(`an option ${odd.name} of python that is not known`) : undefined;
}

const PYTHON_VALUES: Readonly<Record<string, RegExp>> = {
  '-W': /^\w+(:[^:]*(:\w*(:[\w.]*(:\d*)?)?)?)?$/,
  '-X': /^(dev|utf8(=[01])?|importtime|faulthandler|tracemalloc(=\d+)?|no_debug_ranges|int_max_str_digits=\d+)$/,
};

/** Interpreters: their code is judged by its reader, here only the options beside it. */
export const LANGUAGES: Records = {
  python: {
    code: /^-\w*c$/,
    valuesOf: 'first',
    stopsAtOperand: true,
    tune: '-c= -m= -b -B -d -E -I -O -OO -q -s -S -u -v -x -P -W= -X=',
    judge: judgePython,
    idle: '-V -VV -h --version --help',
    last: '-c -m',
    operands: 'judged',
  },
  node: {
    code: /^(-\w*[ep]|--eval|--print|-pe)$/,
    valuesOf: 'first',
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
    values: '-e -E -I -M -m -F',
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
    valuesOf: 'first',
    stopsAtOperand: true,
    tune: '-n -p -l -a -w -W[=] -c -v -s -0[=] -F= -e= -r= -i[=] -U -E= -K[=]',
    load: '-I= -C= -S -x[=] -d --encoding=',
    operands: 'judged',
    judge: (call) =>
      call.args.some(({ text }) => /^\s*\|/.test(text)) ? unknown('ruby opens such names as commands') : undefined,
  },
  php: {
    code: /^-\w*[rBRE]$/,
    valuesOf: 'first',
    stopsAtOperand: true,
    tune: '-r= -B= -R= -E= -l -m -i -n -s -w -a -q',
    idle: '-v -h',
    load: '-d= -c= -f= -z= -S= -t=',
    operands: 'judged',
  },
  'lua Rscript R julia groovy osascript elixir scala tclsh expect guile sbcl ghc': {
    of: {
      lua: { valuesOf: 'first', code: /^-e$/ },
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
    valuesOf: 'first',
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
      // Without `--allow-…` it keeps what it runs from writing, sending and starting anything.
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
        judge: (call, reading) =>
          given(reading, '--check') ? denoFiles(call, reading) : unknown('formats files in place'),
      },
      doc: { tune: '--json --private --filter= --quiet', operands: 'read', judge: denoFiles },
      eval: { tune: '-p --print --ext= -q --quiet', operands: 'judged' },
      'types completions help outdated': { operands: 'tune' },
    },
  },
  bun: {
    code: /^(-e|--eval|-p|--print)$/,
    values: '--prefix -w --workspace --registry --tag --loglevel --otp --userconfig --cache -C',
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
      'x run create init install i add a remove rm update upgrade link unlink build publish pack patch repl exec': {
        operands: 'judged',
        open: 'runs or changes the project',
        runsFiles: true,
        tune: '-# -b -d -D -E -g -p -y --dev --exact --global --production --frozen-lockfile --save --bun --watch --hot',
      },
    },
    global: true,
  },
};
