import { type StaticVerdict, unknown } from '../../verdict.ts';
import { fillsDirectory, isOwnProject, lookAt } from '../paths.ts';
import { type CallFacts, given, type Reading, type Records } from '../record.ts';

const MAKE_FILES =
  /(^|\/)((GNU)?[Mm]akefile|[^/]+\.ma?k|CMakeLists\.txt|[^/]+\.cmake|CMake(User)?Presets\.json|build\.ninja|meson\.build|[Jj]ustfile)$/;

/** Tasks that compile and test, as `cargo test` does; what else a build file defines, nobody knows. */
const BUILD_TASK =
  /^(?::?[\w-]+:)*(test|build|check|assemble|classes|testClasses|compile(Test)?(Java|Kotlin)?|test-compile|jar|package|verify|validate|tasks|dependencies|projects|properties|help|dependency:tree|help:effective-pom)$/;
const JVM_FILES =
  /(^|\/)(pom\.xml|[^/]+\.gradle(\.kts)?|gradle\.properties|gradlew|mvnw|[^/]+\.(java|kt|kts|groovy|scala))$|(^|\/)(\.mvn|gradle\/wrapper|buildSrc)\//;

/** Build tools run what their files say; only what merely shows something is known. */
export const BUILD_RECORDS: Records = {
  'make gmake just': {
    of: {
      make: {
        values: '-C --directory -f --file --makefile -j --jobs -I -o -W -l --eval -O',
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
    // `--help-… FILE` writes what it says there.
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
      'query cquery aquery info version help': {
        operands: 'tune',
        tune: '--output= --noimplicit_deps --keep_going',
      },
      'build test': {
        operands: 'tune',
        tune: '-# -c= -k --config= --jobs= --test_output= --keep_going --test_filter= --verbose_failures',
        control: /(^|\/)(BUILD|WORKSPACE|MODULE)(\.bazel)?$|\.(bzl|bazelrc)$/,
        judge: (_, reading) =>
          reading.operands.every(({ text }) => /^(\/\/)?[\w:./-]*$/.test(text))
            ? undefined
            : unknown('builds what another repository says', { runsFiles: true }),
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

/** Makers of build files that are part of cmake. */
const GENERATORS =
  /^(Ninja( Multi-Config)?|(Unix|MinGW|MSYS|NMake|Borland|Watcom) Makefiles|Xcode|Visual Studio \d+.*)$/;
/** Targets that every build has and that only build or test. */
const TARGETS = /^(all|test|tests|check|help|doc|docs|ALL_BUILD|RUN_TESTS|lib[\w-]+)$/;

/** `-E` carries a toolbox of its own; the rest configures or builds a place. */
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
      return unknown(builds ? 'hands on words to the build tool' : 'configures what another place says', {
        runsFiles: true,
      });
  }
  return undefined;
}

function judgeToolbox(tool = ''): StaticVerdict | undefined {
  return /^(echo|echo_append|cat|capabilities|compare_files|environment|md5sum|sha\d+sum|sleep|true|false)$/.test(tool)
    ? undefined
    : unknown(`cmake -E ${tool} changes files`);
}

function judgeCmakeOption({ machine }: CallFacts, name: string, value: string): StaticVerdict | undefined {
  if (name === '-G' && !GENERATORS.test(value)) return unknown('a generator that is not known');
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
      : unknown('a tool of ninja that changes what was built');
  return words.includes('-n') ? undefined : unknown('runs rules of the project', { runsFiles: true });
}

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
