import { unknown } from '../../verdict.ts';
import { given, type Records, type Spec, words } from '../record.ts';
import { judgeChoices, NODE_SETTINGS, PYTHON_SETTINGS } from './checkers.ts';

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
