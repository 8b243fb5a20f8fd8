import { unknown } from '../../verdict.ts';
import type { Records } from '../record.ts';

/** Tasks that test the project, as its other test runners do, or that only look. */
const RUBY_TASK = /^(test|spec|routes|about|stats|notes|db:migrate:status|db:version|zeitwerk:check)$/;

/** What builds and runs the projects of a language. */
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
      'add new publish pack run tool format sln ef': {
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
      'build test': { tune: '-c= -v --configuration= --parallel --filter= -q' },
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
    idle: '--version -v -V -h -T --tasks',
    tune: '-q -n --quiet --trace',
    singleDash: true,
    control: /\.(rb|rake|gemspec|yml)$|(^|\/)(Rakefile|Gemfile|config\.ru)$/,
    judge: (_, reading) =>
      reading.operands.length > 0 && reading.operands.every(({ text }) => RUBY_TASK.test(text))
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
