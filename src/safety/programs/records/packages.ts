import { unknown } from '../../verdict.ts';
import type { CallFacts, Records, Spec } from '../record.ts';

const SCRIPTS = /(^|\/)(package\.json|\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.cjs|[^/]+\.[cm]?js)$/;
const looks: Spec = {
  operands: 'tune',
  tune: '-# -a -g -l -s -w= --all --depth= --global --json --long --parseable --prod --production --dev --only= --omit=  --workspace= --workspaces --silent --link  --level= --audit-level= --format= --verbose --recursive -r --filter=',
};
const installs = (reason?: string): Spec => ({
  operands: 'judged',
  ...(reason === undefined ? { judge: (call: CallFacts) => judgeNames(call) } : { open: reason, runsFiles: true }),
  dry: '--dry-run',
  tune: '-# -D -E -O -P -S -g -f -y -w= -W -T -d -q -r= -U -e= -n= --save --save-dev --save-exact --save-prod --save-optional --no-save --global --force --legacy-peer-deps --ignore-scripts --production --omit= --include= --prefer-offline --no-audit --no-fund --frozen-lockfile --immutable --dev --exact --silent --verbose --yes --workspace= --audit-level= --package-lock-only --no-package-lock',
});

/** Package managers of languages and systems. */
export const PACKAGES: Records = {
  'npm pnpm yarn': {
    helpers: 'node sh git man',
    global: true,
    tune: '-# -s -d -q --silent --quiet --verbose --loglevel= --no-color --color[=] --no-progress --no-fund --no-audit --prefix= --cwd= -C= --dir=',
    load: '--script-shell= --node-options= --shell= --git= --viewer= --editor= --init-module= --userconfig= --globalconfig= --registry= --cache= --script-shell=',
    idle: '-v --version -h --help -l',
    subs: {
      'ls list ll la outdated why explain audit view info show v search s ping whoami root prefix bin fund query doctor licenses  ':
        {
          ...looks,
          delete: '--fix',
          judge: (_, reading) =>
            reading.path[0] === 'audit' && reading.operands.some(({ text }) => text === 'fix')
              ? unknown('changes what is installed')
              : undefined,
        },
      help: { operands: 'tune' },
      version: { subs: { '': looks } },
      'config c': { subs: { 'get list ls': looks, '': { tune: looks.tune ?? '' } } },
      'pack publish': {
        dry: '--dry-run',
        tune: '--json --tag= --access= --otp=',
        operands: 'read',
        judge: (_, reading) =>
          reading.given.some(({ role }) => role === 'dry') ? undefined : unknown('publishes or packs, running scripts'),
      },
      'test t tst start run run-script rum stop restart': {
        stopsAtOperand: true,
        operands: 'judged',
        open: 'runs scripts of the project',
        runsFiles: true,
        tune: '--if-present --workspaces --workspace= -w= --silent -s -r --recursive --filter= -F=',
        control: SCRIPTS,
      },
      'install i ci add import fetch': installs(),
      'update up upgrade dedupe ddp prune uninstall remove rm r un unlink link ln rebuild unpublish': installs(
        'changes packages, whose scripts run',
      ),
      'init create dlx exec x set deprecate': { ...installs('runs a package, or changes the project'), dry: '' },
      cache: { subs: { 'ls verify dir list': looks } },
      workspaces: { subs: { 'list info': looks } },
      workspace: installs('runs in a workspace'),
    },
  },
  'npx bunx': {
    helpers: 'node sh',
    stopsAtOperand: true,
    operands: 'command',
    tune: '-y --yes --no -q --no-install',
    load: '-c= --call= -p= --package=',
  },
  'pip pipx': {
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
        operands: 'judged',
        tune: '-U -r= -e= -c= --upgrade --user --no-deps --pre --requirement= --editable= --constraint= --no-build-isolation --only-binary= --no-binary= --prefer-binary --break-system-packages --root-user-action= --progress-bar= --use-pep517 --no-warn-script-location --ignore-installed --no-index --no-compile --platform= --python-version= --require-hashes --upgrade-strategy=',
        add: '-d= -w= --dest= --wheel-dir=',
        load: '-i= --index-url= --extra-index-url= -f= --find-links= -t= --target= --prefix= --root= --src= --config-settings= --build-option= --global-option= --report= --force-reinstall',
        judge: (_, reading) => judgePip(reading),
      },
      'uninstall inject upgrade upgrade-all run environment ensurepath reinstall completion': {
        open: 'changes what is installed',
        operands: 'judged',
        tune: '-y --yes -r= --requirement=',
      },
    },
  },
  'uv poetry pipenv pdm hatch': {
    global: true,
    tune: '-# -q -v -vv -vvv -n --quiet --verbose --no-ansi --no-interaction --no-cache --offline --color= --ansi',
    idle: '-V --version -h --help',
    load: '--directory= -C= --project= --config-file= --python=',
    subs: {
      'show check version search about graph tree list config env': {
        operands: 'tune',
        tune: '-t -a -l -o -T --tree --all --latest --outdated --top-level --list --only= --with= --without= --depth= --no-dev --json ',
        judge: (_, reading) =>
          reading.path[0] === 'config' && reading.operands.length > 1 ? unknown('changes settings') : undefined,
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
      'install add lock sync venv': installs(),
      run: {
        stopsAtOperand: true,
        operands: 'command',
        tune: '-q -v --frozen --locked --no-sync --quiet --active',
        load: '--with= --with-requirements= --python= -p= --script -s --module -m --env-file= --directory= --project= --isolated --no-project',
      },
      'remove update build publish shell init new export tool x self': installs('changes or runs the project'),
    },
  },
  'apt apt-get aptitude': {
    helpers: 'dpkg apt-config http https gpgv store sh',
    global: true,
    tune: '-y -q -qq -V -u -d -f -m --yes --assume-yes --quiet --no-install-recommends --install-recommends --download-only --fix-broken --fix-missing --show-upgraded --verbose-versions --no-upgrade --only-upgrade --reinstall  -t= --target-release= --default-release= -a --all-versions --installed --upgradable --names-only -n --full -A --no-show-user-simulation-note --allow-releaseinfo-change',
    dry: '-s --simulate --just-print --dry-run --recon --no-act --print-uris',
    load: '-o= --option= -c= --config-file= --allow-unauthenticated --allow-downgrades --allow-remove-essential --force-yes --allow-change-held-packages',
    idle: '-v -h --version --help',
    subs: {
      'list search show policy depends rdepends changelog moo showsrc madison check indextargets why why-not versions help':
        { operands: 'tune' },
      update: {},
      'install upgrade reinstall build-dep satisfy': {
        operands: 'tune',
        judge: (_, reading) =>
          reading.operands.some(({ text }) => /[-/]$|^[./]|[*?]|[+_]$/.test(text) && !/\+\+$/.test(text))
            ? unknown('installs a file, or removes a package')
            : undefined,
      },
      'download source': { operands: 'tune', open: 'writes files that the server names' },
      'remove purge autoremove autopurge clean autoclean full-upgrade dist-upgrade dselect-upgrade': {
        operands: 'tune',
        judge: (_, reading) =>
          reading.given.some(({ role }) => role === 'dry') ? undefined : unknown('removes packages'),
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
      'hold unhold auto manual': { operands: 'tune' },
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
    global: true,
    tune: '-y -q -v -C -b --assumeyes --quiet --verbose --cacheonly --refresh --best --nobest --skip-broken --enablerepo= --disablerepo= --repo= --repoid= --releasever= --exclude= -x= --installed --available --all --showduplicates --recent --upgrades --list --info --whatprovides= --requires --latest-limit=',
    dry: '--assumeno',
    load: '-c= --config= --installroot= --setopt= --nogpgcheck --downloaddir= --repofrompath= --forcearch= --allowerasing',
    subs: {
      'list search info provides whatprovides repolist repoinfo check-update updateinfo deplist repoquery makecache grouplist history check help':
        { operands: 'tune' },
      'install update upgrade reinstall builddep localinstall groupinstall': {
        operands: 'tune',
        judge: (_, reading) =>
          reading.operands.some(({ text }) => /^[./]|^-|:\/\//.test(text)) ? unknown('installs a file') : undefined,
      },
    },
  },
  apk: {
    global: true,
    tune: '-q -v -U -u -l -a --quiet --verbose --no-cache --update-cache --upgrade --no-progress -t= --virtual= --installed',
    dry: '-s --simulate',
    load: '-X= --repository= --allow-untrusted --root= -p= --keys-dir= --force-overwrite -f --force',
    subs: {
      'info search list policy stats dot version audit verify': {
        operands: 'tune',
        tune: '-L -d -s -w -r -R -e -P -p -W',
      },
      'add update upgrade fetch': { operands: 'tune' },
    },
  },
  pacman: {
    tune: '-S -Sy -Syu -Syyu -Q -Qi -Ql -Qo -Qs -Qe -Qdt -Qu -Qm -Qn -Qk -Ss -Si -Sl -Sg -Sp -F -Fy -Fl -q -i --noconfirm --needed --color=',
    singleDash: true,
    operands: 'tune',
    dry: '-p --print -Sp -Rp -Rsp -Rnsp',
    delete: '-R -Rs -Rns -Sc -Scc -U -D',
    idle: '-V -h',
  },
  brew: {
    global: true,
    tune: '-# -q -v -d -s -1 -l -t -r --quiet --verbose --debug --json[=] --formula --formulae --cask --casks --versions --installed --installed-on-request --tree --all --full-name --pinned --multiple --greedy --topological --include-build --leaves',
    dry: '-n --dry-run',
    idle: '--prefix --version --cellar --repository --cache --config --env',
    subs: {
      'list ls info search deps uses outdated doctor config desc log leaves casks formulae  options cat commands --prefix missing':
        { operands: 'tune' },
      services: { subs: { 'list info': { operands: 'tune' } } },
      'install upgrade update fetch tap': {
        operands: 'tune',
        tune: '',
        judge: (_, reading) =>
          reading.operands.some(({ text }) => /:\/\/|^[./]/.test(text))
            ? unknown('installs from an address')
            : undefined,
      },
      'cleanup autoremove uninstall remove': {
        operands: 'tune',
        judge: (_, reading) =>
          reading.given.some(({ role }) => role === 'dry') ? undefined : unknown('removes packages'),
      },
    },
  },
  bundler: { subs: { exec: { stopsAtOperand: true, operands: 'command' } } },
  'gem bundle composer': {
    global: true,
    tune: '-# -q -v -V -l -a -n -d --local --remote --all --quiet --verbose --no-ansi --no-interaction --no-color --details --versions --installed --platform --latest --outdated --direct --tree --strict --name-only --self --format= --parseable --path --paths --no-document --jobs= -j= -D -i',
    idle: '--version -h --help',
    subs: {
      'list search info query specification contents dependency environment env outdated  which help show check config licenses validate diagnose depends prohibits why why-not suggests status about fund platform doctor audit':
        {
          operands: 'tune',
          dry: '--dry-run',
          judge: (_, reading) =>
            reading.path[0] === 'config' && reading.operands.length > 1 ? unknown('changes settings') : undefined,
        },
      'install add require lock': installs(),
      exec: { stopsAtOperand: true, tune: '--keep-file-descriptors', operands: 'command' },
      'update remove uninstall init build push fetch clean create-project dump-autoload run-script global open':
        installs('changes packages, whose code runs'),
    },
  },
  'conda mamba micromamba': {
    global: true,
    tune: '-# -n= -p= -q -v -y -c= -e --name= --prefix= --json --quiet --verbose --channel= --export --no-builds --from-history --explicit --revisions --envs --all --full-name',
    dry: '-d --dry-run',
    idle: '-V -h',
    subs: {
      'list info search doctor notices': { operands: 'tune' },
      env: { subs: { 'list export': { operands: 'tune' }, create: { operands: 'tune', read: '-f= --file=' } } },
      config: { subs: { '': { tune: '--show --show-sources --get= --describe', delete: '--set= --add= --remove=' } } },
      export: {},
      'create install': installs(),
      update: installs('changes packages'),
      run: installs('runs a command'),
      'activate deactivate init': { operands: 'tune', open: 'changes the environment' },
    },
  },
  'snap flatpak': {
    global: true,
    tune: '--all --user --system --columns= --app --runtime -y --installed',
    subs: {
      'list find info version connections interfaces changes services known warnings model search remotes history remote-ls ps help':
        { operands: 'tune' },
      'install update refresh': {
        operands: 'tune',
        load: '--dangerous --devmode --classic --jailmode',
        tune: '--channel= --edge --beta --candidate --stable',
      },
    },
  },
  'nix nix-env nix-store nix-collect-garbage': {
    operands: 'judged',
    dry: '--dry-run',
    open: 'evaluates what the project says',
    tune: '-q -qa -d --query --installed --available --delete-older-than=',
  },
  'nvm pyenv rbenv asdf mise sdk fnm volta': {
    subs: {
      'ls list ls-remote current versions version which whence where latest root commands outdated doctor ': {
        operands: 'tune',
        tune: '--bare --lts --all -v',
      },
      '': {},
    },
    idle: '--version -v -h',
  },
  dotnet: {
    idle: '--info --version --list-sdks --list-runtimes -h',
    subs: {
      'build test restore list': {
        operands: 'read',
        tune: '-c= -f= -r= -v=  --configuration= --framework= --no-restore --no-build --filter= --logger= --nologo --verbosity= --list-tests --outdated',
      },
      'add new publish pack run tool format sln ef': {
        operands: 'judged',
        open: 'changes or runs the project',
        runsFiles: true,
      },
    },
  },
  swift: {
    idle: '--version',
    subs: {
      'build test': { tune: '-c= -v --configuration= --parallel --filter= -q' },
      'run package': { operands: 'judged', open: 'runs the project', runsFiles: true },
    },
  },
  'mix zig stack cabal': {
    idle: '--version -h',
    subs: {
      'test build compile deps.get deps.tree version help  phx.routes hex.info list path ls env': {
        operands: 'tune',
        tune: '-v -f -O= -D= --trace --only= --exclude= --warnings-as-errors --fast',
      },
      '*': { operands: 'judged', open: 'runs the project', runsFiles: true },
    },
  },
  'ant sbt rake rails lein flutter dart rebar3': {
    operands: 'judged',
    open: 'runs files of the project',
    runsFiles: true,
    idle: '--version -version -v -V -h',
    tune: '-# -q -x= -B -n -e -T= -P= --quiet --stacktrace --offline --tests= --tasks --all --release --debug -t -U -am -pl= -DskipTests --dry-run',
    singleDash: true,
  },
};

function judgePip(reading: {
  readonly operands: readonly { readonly text: string }[];
  readonly given: readonly { readonly name: string; readonly value?: string; readonly role: string }[];
}) {
  const odd = reading.operands.some(({ text }) => /^[./~]|:\/\/|^git\+|\.(whl|tar\.gz|zip)$|@/.test(text));
  const local = reading.given.some(({ name }) => /^(-e|--editable)$/.test(name));
  return odd || local ? unknown('installs code of the project or of an address', { runsFiles: true }) : undefined;
}

/** Packages asked for by name come from the registry that is set; an address or a path may hold anything. */
function judgeNames(call: CallFacts) {
  const odd = call.operands.slice(1).some(({ text }) => /^[./~]|:\/\/|^(git|file|link|npm|http)[+:]|\.tgz$/.test(text));
  return odd ? unknown('installs code of the project or of an address', { runsFiles: true }) : undefined;
}
