import { pattern } from '../../../text/pattern.ts';
import { type StaticVerdict, unknown } from '../../verdict.ts';
import { textOf, UNREAD } from '../code.ts';
import {
  type CallFacts,
  given,
  isDryReading,
  type Reading,
  type Records,
  row,
  type Sends,
  type Spec,
} from '../record.ts';

/** Package managers of operating systems. */
export const SYSTEM_PACKAGES: Records = {
  'apt apt-get aptitude': {
    leaves: { as: 'packages', when: /^(install|reinstall|(full-|dist-)?upgrade|build-dep)\b/ },
    family: 'packages',
    findings: [
      row('apt install package-', 'a name that ends in a minus is removed', {
        shapes: ['install /^[a-z0-9][\\w.+-]+-$/'],
      }),
    ],
    of: { 'apt-get': { values: '-a' } },
    helpers: 'dpkg apt-config http https gpgv store sh',
    global: true,
    tune: '-y -q -qq -V -u -d -f -m --yes --assume-yes --quiet --no-install-recommends --install-recommends --download-only --fix-broken --fix-missing --show-upgraded --verbose-versions --no-upgrade --only-upgrade --reinstall -a --all-versions --installed --upgradable --names-only -n --full -A --no-show-user-simulation-note --allow-releaseinfo-change',
    dry: '-s --simulate --just-print --dry-run --recon --no-act --print-uris',
    load: '-t= --target-release= --default-release= -o= --option= -c= --config-file= --allow-unauthenticated --allow-downgrades --allow-remove-essential --force-yes --allow-change-held-packages',
    idle: '-v -h --version --help',
    subs: {
      'list search show policy depends rdepends changelog moo showsrc madison check indextargets why why-not versions help':
        { operands: 'tune' },
      update: {},
      'install reinstall': { operands: 'package' },
      'download source': { operands: 'tune', open: 'writes files that the server names' },
      'build-dep': { operands: 'tune', open: 'installs the build dependencies of a package' },
      'remove purge autoremove autopurge clean autoclean upgrade full-upgrade dist-upgrade dselect-upgrade satisfy': {
        operands: 'tune',
        judge: (_, reading) =>
          reading.given.some(({ role }) => role === 'dry')
            ? undefined
            : unknown('removes packages, or replaces those of the whole system'),
      },
    },
  },
  'apt-cache': {
    helpers: 'dpkg',
    tune: '-# -a -f -i -n -q -g --names-only --full --installed --no-all-versions --recurse --important --generate',
    load: '-o= -c=',
    subs: {
      'search show showpkg policy depends rdepends pkgnames madison stats dump unmet showsrc dotty': {
        operands: 'tune',
      },
    },
    global: true,
  },
  'dpkg-query ': {
    tune: '-l -L -s -S -W -p -c -f= --list --listfiles --status --search --show --showformat= --print-avail --control-path --no-pager',
    load: '--admindir= --root=',
    operands: 'tune',
  },
  dpkg: {
    helpers: 'dpkg-query dpkg-deb dpkg-split',
    tune: '-l -L -s -S -p -c -I -C -V -f -W  --list --listfiles --status --search --print-avail --contents --info --audit --verify --get-selections --print-architecture --print-foreign-architectures --field --compare-versions --assert-support-predepends --no-pager --yet-to-unpack',
    delete:
      '-i -r -P --install --remove --purge --unpack --configure -a --pending --set-selections --clear-selections --update-avail --forget-old-unavail --add-architecture --remove-architecture -x -X --extract --vextract -e --control -b --build -R --recursive --force-all',
    load: '--pre-invoke= --post-invoke= --root= --instdir= --admindir= --log=',
    dry: '--dry-run --no-act --simulate',
    operands: 'tune',
  },
  'apt-mark': {
    subs: {
      'showhold showauto showmanual showinstall showremove': { operands: 'tune' },
      'hold unhold auto manual': {
        operands: 'tune',
        open: 'changes which packages are kept up to date, or kept at all',
      },
    },
  },
  rpm: {
    tune: '-q -a -i -l -f -p -c -d -R -s -V -v --query --all --info --list --file --package --configfiles --docfiles --requires --provides --whatprovides --whatrequires --changelog --scripts --last --qf= --queryformat= --state --verify --checksig -K --nosignature --triggers --conflicts --obsoletes',
    load: '--eval= -D= --define= --pipe= --dbpath= --root= --rcfile= --macros= --undefine= -E=',
    delete:
      '-e -U -F -h --erase --install --upgrade --freshen --force --nodeps --import --rebuilddb --initdb --setperms --setugids --restore',
    operands: 'tune',
    judge: ({ args }) =>
      args.some(({ text }) => /^-[a-zA-Z]*[qVK]|^--(query|verify|checksig|version)/.test(text))
        ? undefined
        : unknown('installs packages'),
  },
  'dnf yum': {
    leaves: { as: 'packages', when: /^(install|reinstall|update|upgrade|groupinstall|builddep)\b/ },
    of: { dnf: {} },
    global: true,
    tune: '-y -q -v -C -b --assumeyes --quiet --verbose --cacheonly --refresh --best --nobest --skip-broken --enablerepo= --disablerepo= --repo= --repoid= --releasever= --exclude= -x= --installed --available --all --showduplicates --recent --upgrades --list --info --whatprovides= --requires --latest-limit=',
    dry: '--assumeno',
    load: '-c= --config= --installroot= --setopt= --nogpgcheck --downloaddir= --repofrompath= --forcearch= --allowerasing',
    subs: {
      'list search info provides whatprovides repolist repoinfo check-update updateinfo deplist repoquery makecache grouplist history check help':
        { operands: 'tune' },
      'install reinstall builddep update upgrade': { operands: 'package' },
      groupinstall: { operands: 'tune' },
    },
  },
  apk: {
    leaves: { as: 'packages', when: /^(add|upgrade)\b/ },
    global: true,
    tune: '-q -v -U -u -l -a --quiet --verbose --no-cache --update-cache --upgrade --no-progress -t= --virtual= --installed',
    dry: '-s --simulate',
    load: '-X= --repository= --allow-untrusted --root= -p= --keys-dir= --force-overwrite -f --force',
    subs: {
      'info search list policy stats dot version audit verify': {
        operands: 'tune',
        tune: '-L -d -s -w -r -R -e -P -p -W',
      },
      update: {},
      'add upgrade fetch': { operands: 'package' },
    },
  },
  pacman: {
    values: '--root --dbpath --config --cachedir --arch --ignore',
    tune: '-S -Sy -Q -Qi -Ql -Qo -Qs -Qe -Qdt -Qu -Qm -Qn -Qk -Ss -Si -Sl -Sg -Sp -F -Fl -q -i --noconfirm --needed --color=',
    singleDash: true,
    operands: 'tune',
    dry: '-p --print -Sp -Rp -Rsp -Rnsp',
    delete: '-Syu -Syyu -Su -Fy -R -Rs -Rns -Sc -Scc -U -D',
    idle: '-V -h',
  },
  brew: {
    reaches: 'search info install',
    dryRun: '-n --dry-run',
    traits: ['printsSetup', 'speaks'],
    global: true,
    tune: '-# -q -v -d -s -1 -l -t -r --quiet --verbose --debug --json[=] --formula --formulae --cask --casks --versions --installed --installed-on-request --tree --all --full-name --pinned --multiple --greedy --topological --include-build --leaves',
    dry: '-n --dry-run',
    idle: '--prefix --version --cellar --repository --cache --config --env',
    subs: {
      'list ls info search deps uses outdated doctor config desc log leaves casks formulae  options cat commands --prefix missing':
        {
          operands: 'tune',
          judge: (_, reading) =>
            reading.operands.some(({ text }) => /^[./~]|:\/\/|\.rb$/.test(text))
              ? unknown('a formula is code')
              : undefined,
        },
      services: { subs: { 'list info': { operands: 'tune' } } },
      tap: { subs: { '': {} } },
      update: {},
      'install upgrade fetch': { operands: 'package' },
      'cleanup autoremove uninstall remove': {
        operands: 'tune',
        judge: (_, reading) =>
          reading.given.some(({ role }) => role === 'dry') ? undefined : unknown('removes packages'),
      },
    },
  },
  'snap flatpak': {
    of: { flatpak: { values: '--installation --arch --branch' } },
    global: true,
    tune: '--all --user --system --columns= --app --runtime -y --installed',
    subs: {
      'list find info version connections interfaces changes services known warnings model search remotes history remote-ls ps help':
        { operands: 'tune' },
      'install update refresh': {
        operands: 'package',
        load: '--dangerous --devmode --classic --jailmode',
        tune: '--channel= --edge --beta --candidate --stable',
        judge: ({ program }, reading) => {
          const names = reading.operands.map(({ text }) => text);
          return program === 'flatpak' && names.length > 1 && !/^(flathub(-beta)?|fedora)$/.test(names[0] ?? '')
            ? unknown('installs from an unknown remote')
            : undefined;
        },
      },
    },
  },
  nix: {
    wraps: { sub: 'shell|develop', after: '-c --command', onlyCode: true, skip: 99 },
    operands: 'judged',
    dry: '--dry-run',
    open: 'evaluates code of the project',
    tune: '-q -qa -d --query --installed --available --delete-older-than=',
  },
};

/** Judges lists of packages: a requirements file is read, since it may name any source. */
function judgeLists(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  if (given(reading, '-e', '--editable')) return unknown('installs code of the project', { runsFiles: true });
  for (const { name, value = '' } of reading.given) {
    if (/^(-i|--index-url|--extra-index-url)$/.test(name) && !INDEX.test(value))
      return unknown('installs from an unknown index');
    if (!/^(-r|-c|--requirement|--constraint)$/.test(name)) continue;
    if (/:\/\//.test(value)) return unknown('reads the list to install from an address');
    const text = textOf(call, value);
    if (text === UNREAD) return unknown(`${value.slice(-60)} can't be read beforehand`, { runsFiles: true });
    if (text !== undefined && !text.split('\n').every((line) => REQUIREMENT.test(line)))
      return unknown(`${value.slice(-60)} holds more than names of packages`, { runsFiles: true });
  }
  return undefined;
}

/** The registry itself, and PyTorch’s builds for different hardware. */
const INDEX = /^https:\/\/(pypi\.org\/simple|download\.pytorch\.org\/whl(\/(cpu|cu\d+|rocm[\d.]+|nightly\/\w+))?)\/?$/;

/** A line with a package name, versions and conditions, a comment, or nothing. */
const REQUIREMENT = /^\s*([A-Za-z0-9][\w.-]*(\[[\w, -]*\])?\s*([=<>!~]=?[^@:/]*)?(;[^@:/]*)?)?(\s*#.*)?\s*$/;

const PUBLISH: Sends = { as: 'publish', when: /^(npm )?publish\b/ };
const SCRIPTS = /(^|\/)(package\.json|\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.cjs|[^/]+\.[cm]?js)$/;
const looks: Spec = {
  operands: 'tune',
  tune: '-# -a -g -l -s -w= --all --depth= --global --json --long --parseable --prod --production --dev --only= --omit=  --workspace= --workspaces --silent --link  --level= --audit-level= --format= --verbose --recursive -r --filter=',
};
const installs = (reason?: string): Spec => ({
  ...(reason === undefined
    ? { operands: 'package', judge: judgeLists }
    : { operands: 'judged', open: reason, runsFiles: true }),
  dry: '--dry-run',
  tune: '-# -D -E -O -P -S -g -f -y -w= -W -T -d -q -r= -U -e= -n= --save --save-dev --save-exact --save-prod --save-optional --no-save --global --force --legacy-peer-deps --ignore-scripts --production --omit= --include= --prefer-offline --no-audit --no-fund --frozen-lockfile --immutable --dev --exact --silent --verbose --yes --workspace= --audit-level= --package-lock-only --no-package-lock',
});

/** Tools that are npm packages of the same name, and that the gate knows. */
const OF_NODE = pattern(String.raw`
    ^((@[\w-]+/)?(tsc|tsx|ts-node|eslint|prettier|jest|vitest|mocha|ava|karma|playwright|cypress|biome|stylelint
    |standard|xo|knip|depcheck|madge|husky|lint-staged|commitlint|markdownlint|markdownlint-cli2?|webpack|vite
    |rollup|esbuild|next|nuxt|astro|nx|turbo|lerna|ng|vue-tsc|svelte-check|prisma|drizzle-kit|tsup|nodemon|serve
    |http-server|npm-check-updates|ncu|rimraf|cspell|c8|nyc|remark|storybook|tailwindcss|postcss|sass|wrangler
    |firebase|typescript|del-cli|shx|yarn|pnpm|npm|node|lighthouse|concurrently|cross-env|env-cmd|dotenv
    |kill-port|migrate|sequelize|sequelize-cli|typeorm|knex|supabase|vercel|netlify|expo|react-native|electron
    |gulp|grunt|bower|babel|swc|size-limit|license-checker|npm-run-all|run-s|run-p|wait-on|json|dprint|oxlint
    |publint|attw|api-extractor|typedoc|jsdoc|hardhat|pm2)$)
  `);

/** Judges a fetched package: one named like a system program may be anybody’s; without a name it is a shell. */
function judgeFetched({ operands }: Reading): StaticVerdict | undefined {
  const name = operands[0]?.text;
  if (name === undefined) return unknown('starts a shell, which reads its input');
  return OF_NODE.test(name.replace(/(?<=.)@[^/]*$/, ''))
    ? undefined
    : unknown('fetches and runs a package of that name');
}

/** Package managers of languages. */
export const PACKAGES: Records = {
  'npm pnpm yarn': {
    exact: true,
    dryRun: '--dry-run',
    of: {
      npm: {
        wraps: { sub: 'exec|x', values: '-p --package -w --workspace --prefix', code: '-c --call' },
        leaves: PUBLISH,
        reaches: 'view info show search s',
        traits: ['sends', 'printsSetup', 'runsProject', 'speaks'],
      },
      pnpm: { wraps: { sub: 'exec|dlx', code: '-c --shell-mode' }, leaves: PUBLISH, traits: ['runsProject'] },
      yarn: { leaves: PUBLISH, wraps: { sub: 'exec|dlx' }, traits: ['runsProject'] },
    },
    helpers: 'node sh git man',
    global: true,
    tune: '-# -s -d -q --silent --quiet --verbose --loglevel= --no-color --color[=] --no-progress --no-fund --no-audit',
    project: '--prefix= --cwd= -C= --dir=',
    load: '--script-shell= --node-options= --shell= --git= --viewer= --editor= --init-module= --userconfig= --globalconfig= --registry= --cache= --script-shell=',
    idle: '-v --version -h --help -l',
    subs: {
      '': { control: SCRIPTS, open: 'names no package: installs what the project lists' },
      'ls list ll la outdated why explain audit view info show v search s ping whoami root prefix bin fund query doctor licenses  ':
        {
          ...looks,
          delete: '--fix',
          judge: (_, reading) =>
            reading.path[0] === 'audit' && reading.operands.some(({ text }) => text === 'fix')
              ? unknown('changes installed packages')
              : undefined,
        },
      help: { operands: 'tune' },
      version: {
        subs: {
          '': { tune: looks.tune ?? '' },
          '*': { operands: 'judged', open: 'writes a version, commits and tags it' },
        },
      },
      'config c': { subs: { 'get list ls': looks, '': { tune: looks.tune ?? '' } } },
      'pack publish': {
        dry: '--dry-run',
        tune: '--json --tag= --access= --otp= --ignore-scripts',
        operands: 'read',
        judge: (_, reading) =>
          given(reading, '--ignore-scripts') && reading.given.some(({ role }) => role === 'dry')
            ? undefined
            : unknown('runs scripts of the project before it packs', { runsFiles: true }),
      },
      'test t tst start run run-script rum stop restart': {
        stopsAtOperand: true,
        operands: 'judged',
        open: 'runs scripts of the project',
        runsFiles: true,
        tune: '--if-present --workspaces --workspace= -w= --silent -s -r --recursive --filter= -F=',
        control: SCRIPTS,
      },
      'install i add': { ...installs(), control: SCRIPTS },
      'ci import fetch': installs('removes installed packages, and runs their scripts'),
      'update up upgrade dedupe ddp prune uninstall remove rm r un unlink link ln rebuild unpublish': installs(
        'changes packages, whose scripts run',
      ),
      'exec x': {
        stopsAtOperand: true,
        operands: 'command',
        load: '-c= --call= -p= --package=',
        // The other runners look for the program among the installed packages.
        judge: ({ program }, reading) =>
          program === 'npm'
            ? judgeFetched(reading)
            : reading.path[0] === 'x'
              ? unknown('runs scripts of the project', { runsFiles: true })
              : undefined,
      },
      'init create dlx set deprecate': { ...installs('runs a package, or changes the project'), dry: '' },
      cache: { subs: { 'ls verify dir list': looks } },
      workspaces: { subs: { 'list info': looks } },
      workspace: installs('runs in a workspace'),
    },
  },
  'npx bunx': {
    of: {
      npx: { wraps: { values: '-p --package -w --workspace --prefix', code: '-c --call' }, traits: ['runsProject'] },
      bunx: { wraps: {} },
    },
    helpers: 'node sh',
    stopsAtOperand: true,
    operands: 'command',
    tune: '--no -q --no-install',
    load: '-c= --call= -p= --package=',
    // With these options it fetches and runs a missing package without asking.
    send: '-y --yes',
    judge: (_, reading) => judgeFetched(reading),
  },
  'pip pipx': {
    of: { pip: { values: '-f', traits: ['printsSetup', 'speaks'], reaches: 'index download install' } },
    helpers: 'python3 lsb_release getopt cut tr uname dpkg rustc git gcc',
    global: true,
    tune: '-q -v --quiet --verbose --no-color --disable-pip-version-check --no-input --isolated --no-cache-dir --timeout= --retries= --no-python-version-warning --require-virtualenv',
    idle: '-V --version -h --help',
    load: '--python= --proxy= --trusted-host= --cert= --client-cert= --cache-dir= --exists-action= --use-feature= --use-deprecated=',
    write: '--log=',
    subs: {
      'list show freeze check index inspect debug': {
        operands: 'tune',
        tune: '-f -l -o -u -e  --files --local --outdated --uptodate --editable --format= --not-required --include-editable --exclude-editable --user --all --exclude= --pre --path=',
        load: '-i= --index-url= --extra-index-url= --find-links=',
      },
      config: { subs: { 'list get debug': { operands: 'tune' } } },
      cache: { subs: { 'dir info list': { operands: 'tune' } } },
      hash: { operands: 'read' },
      help: { operands: 'tune' },
      'install download wheel': {
        dry: '--dry-run',
        operands: 'package',
        tune: '-U -r= -e= -c= --upgrade --user --no-deps --pre --requirement= --editable= --constraint= --no-build-isolation --only-binary= --prefer-binary --break-system-packages --root-user-action= --progress-bar= --use-pep517 --no-warn-script-location --no-index --no-compile --platform= --python-version= --require-hashes --upgrade-strategy= -i= --index-url= --extra-index-url=',
        into: '-d= -w= --dest= --wheel-dir=',
        load: '--no-binary= --ignore-installed -f= --find-links= -t= --target= --prefix= --root= --src= --config-settings= --build-option= --global-option= --report= --force-reinstall',
        judge: judgeLists,
      },
      'uninstall inject upgrade upgrade-all run environment ensurepath reinstall completion': {
        open: 'changes installed packages',
        operands: 'judged',
        tune: '-y --yes -r= --requirement=',
      },
    },
  },
  'uv poetry pipenv': {
    of: {
      uv: {
        wraps: {
          sub: 'run',
          values: '--with --python -p --extra --group --env-file --project --directory',
          python: true,
        },
        traits: ['printsSetup', 'runsProject'],
      },
      poetry: { leaves: PUBLISH, dryRun: '--dry-run', wraps: { sub: 'run' }, traits: ['printsSetup', 'runsProject'] },
      pipenv: { wraps: { sub: 'run' } },
    },
    global: true,
    tune: '-# -q -v -vv -vvv -n --quiet --verbose --no-ansi --no-interaction --no-cache --offline --color= --ansi',
    idle: '-V --version -h --help',
    load: '--directory= -C= --project= --config-file= --python=',
    subs: {
      'show check version search about graph tree list config env': {
        operands: 'tune',
        tune: '-t -a -l -o -T --tree --all --latest --outdated --top-level --list --only= --with= --without= --depth= --no-dev --json ',
        judge: (_, reading) => judgeManager(reading),
      },
      pip: {
        subs: {
          'list show freeze check tree': { operands: 'tune', tune: '--outdated --format= --exclude=' },
          install: installs(),
          'sync compile uninstall': installs('changes packages'),
        },
      },
      python: {
        subs: {
          'list find dir': { operands: 'tune', tune: '--only-installed --all-versions' },
          install: installs('installs python'),
        },
      },
      cache: { subs: { 'dir list': { operands: 'tune' } } },
      'install add': installs(),
      venv: { ...installs(), operands: 'add', judge: () => undefined },
      lock: installs('rewrites which versions are taken'),
      sync: installs('takes away what the lock file does not name'),
      run: {
        stopsAtOperand: true,
        operands: 'command',
        tune: '-q -v --frozen --locked --no-sync --quiet --active',
        load: '--with= --with-requirements= --python= -p= --script -s --module -m --env-file= --directory= --project= --isolated --no-project',
      },
      'remove update build publish shell init new export tool x self': installs('changes or runs the project'),
    },
  },
  'gem bundle composer': {
    exact: true,
    of: {
      gem: { leaves: { as: 'publish', when: /^push\b/ }, dryRun: '--dryrun' },
      bundle: { wraps: { sub: 'exec' }, traits: ['runsProject'] },
      composer: { dryRun: '--dry-run', traits: ['runsProject'] },
    },
    global: true,
    tune: '-# -q -v -V -l -a -n -d --local --remote --all --quiet --verbose --no-ansi --no-interaction --no-color --details --versions --installed --platform --latest --outdated --direct --tree --strict --name-only --self --format= --parseable --path --paths --no-document --jobs= -j= -D -i',
    idle: '--version -h --help',
    control: /(^|\/)(Gemfile(\.lock)?|[^/]+\.gemspec|composer\.(json|lock))$|\.bundle\/config$/,
    subs: {
      'list search info query specification contents dependency environment env outdated  which help show check config licenses validate diagnose depends prohibits why why-not suggests status about fund platform doctor audit':
        {
          operands: 'tune',
          dry: '--dry-run',
          judge: (_, reading) =>
            reading.path[0] === 'config' && reading.operands.length > 1
              ? unknown('changes settings')
              : given(reading, '-d') && /^(status|diagnose|show|validate|licenses|check)$/.test(reading.path[0] ?? '')
                ? unknown('works in another place')
                : /^(specification|contents)$/.test(reading.path[0] ?? '') &&
                    reading.operands.some(({ text }) => /[./]/.test(text))
                  ? unknown('a specification is code')
                  : undefined,
        },
      'install add require': { ...installs(), load: '-l --local -i= --install-dir= -d -n= --path' },
      lock: installs('rewrites which versions are taken'),
      exec: {
        stopsAtOperand: true,
        tune: '--keep-file-descriptors',
        operands: 'command',
        judge: ({ program }) => (program === 'gem' ? unknown('fetches and runs a gem of that name') : undefined),
      },
      'update remove uninstall init build push fetch clean create-project dump-autoload run-script global open':
        installs('changes packages, whose code runs'),
    },
  },
  'conda mamba': {
    traits: ['printsSetup'],
    dryRun: '-d --dry-run',
    wraps: { sub: 'run', values: '-n --name -p --prefix --cwd' },
    global: true,
    tune: '-# -n= -p= -q -v -y -c= -e --name= --prefix= --json --quiet --verbose --channel= --export --no-builds --from-history --explicit --revisions --envs --all --full-name',
    dry: '-d --dry-run',
    idle: '-V -h',
    subs: {
      'list info search doctor notices': { operands: 'tune' },
      env: {
        global: true,
        subs: {
          'list export': { operands: 'tune' },
          create: {
            operands: 'tune',
            read: '-f= --file=',
            judge: (call, reading) => replacesNamed(reading) ?? judgeEnvironment(call, reading),
          },
        },
      },
      config: { subs: { '': { tune: '--show --show-sources --get= --describe', delete: '--set= --add= --remove=' } } },
      export: {},
      create: { ...installs(), judge: (call, reading) => replacesNamed(reading) ?? judgeChannels(call, reading) },
      install: { ...installs(), judge: judgeChannels },
      update: installs('changes packages'),
      run: installs('runs a command'),
      'activate deactivate init': { operands: 'tune', open: 'changes the environment' },
    },
  },
  'nvm pyenv rbenv asdf': {
    of: {
      nvm: { traits: ['printsSetup'] },
      'pyenv rbenv': { wraps: { sub: 'exec' }, traits: ['printsSetup'] },
      asdf: { wraps: { sub: 'exec', skip: 1 }, traits: ['printsSetup'] },
    },
    subs: {
      'ls list ls-remote current versions version which whence where latest root commands outdated doctor ': {
        operands: 'tune',
        tune: '--bare --lts --all -v',
      },
      '': {},
    },
    idle: '--version -v -h',
  },
};

/** Judges settings and environments, which only some calls show; `version` with an operand sets it. */
function judgeManager(reading: Reading): StaticVerdict | undefined {
  const [first, second] = reading.operands.map(({ text }) => text);
  switch (reading.path[0]) {
    case 'version':
      return first === undefined ? undefined : unknown('writes another version into the project');
    case 'env':
      return first === undefined || /^(list|info|show|find)$/.test(first)
        ? undefined
        : unknown('changes an environment, or runs the python it names', { runsFiles: true });
    case 'config':
      return second !== undefined || /^(set|restore|delete|del|update|edit|migrate|explore|unset)$/.test(first ?? '')
        ? unknown('changes settings')
        : undefined;
    default:
      return undefined;
  }
}

/** Returns whether an existing environment of that name is removed first: it asks, unless told yes. */
function replacesNamed(reading: Reading): StaticVerdict | undefined {
  const yes =
    given(reading, '-y', '--yes', '--force') || (given(reading, '--json', '-q', '--quiet') && !isDryReading(reading));
  return yes ? unknown('removes an environment of that name if there is one') : undefined;
}

/** Judges conda’s channels: the shared ones are known, any other is somebody’s own. */
function judgeChannels(_: CallFacts, reading: Reading): StaticVerdict | undefined {
  const odd = reading.given.some(({ name, value = '' }) => /^(-c|--channel)$/.test(name) && !CHANNEL.test(value));
  return odd ? unknown('installs from an unknown channel') : undefined;
}

const CHANNEL = /^(conda-forge|defaults|main|anaconda|bioconda|pytorch|nvidia|r|intel)$/;

/** Judges the file of an environment of conda, which may name shared channels and plain packages and nothing else. */
function judgeEnvironment(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  if (isDryReading(reading)) return undefined;
  const text = textOf(call, reading.given.find(({ name }) => /^(-f|--file)$/.test(name))?.value ?? 'environment.yml');
  let channels = false;
  const isPlain = (line: string) => {
    const item = /^\s*- (.*?)\s*$/.exec(line)?.[1];
    if (/^\w/.test(line)) channels = line.startsWith('channels:');
    if (item === undefined) return /^((name: *[\w.-]+|(channels|dependencies):)? *(#.*)?)$/.test(line);
    return channels ? CHANNEL.test(item) : item === 'pip:' || REQUIREMENT.test(item);
  };
  const known = typeof text === 'string' && text.split('\n').every(isPlain);
  return known ? undefined : unknown('installs what a file names that was not read, or holds more than names', RUNS);
}

const RUNS = { runsFiles: true };
