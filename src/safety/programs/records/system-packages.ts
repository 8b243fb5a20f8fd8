import { type StaticVerdict, unknown } from '../../verdict.ts';
import type { Reading, Records } from '../record.ts';

/** Package managers of systems. */
export const SYSTEM_PACKAGES: Records = {
  'apt apt-get aptitude': {
    family: 'packages',
    findings: [
      {
        name: 'apt install package-',
        shapes: ['install /^[a-z0-9][\\w.+-]+-$/'],
        reason: 'a name that ends in a minus is removed',
        match: ['apt-get install -y foo bar-'],
        pass: ['apt-get install -y foo bar', 'apt-get install g++'],
      },
    ],
    of: {
      'apt aptitude': { values: '-t --target-release -o --option -c --config-file' },
      'apt-get': { values: '-t --target-release -o --option -c --config-file -a' },
    },
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
      'install reinstall': {
        operands: 'tune',
        judge: (_, reading) =>
          judgeSystemNames(reading) ??
          (reading.operands.some(({ text }) => /[-/]$|^[./]|[*?!,]|[+_]$/.test(text) && !/\+\+$/.test(text))
            ? unknown('installs a file, or removes a package')
            : undefined),
      },
      'download source': { operands: 'tune', open: 'writes files that the server names' },
      'build-dep': { operands: 'tune', open: 'installs whatever a package says that it is built with' },
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
    of: {
      dnf: { values: '--repo --enablerepo --disablerepo --releasever -c --config --installroot -x --exclude --setopt' },
    },
    global: true,
    tune: '-y -q -v -C -b --assumeyes --quiet --verbose --cacheonly --refresh --best --nobest --skip-broken --enablerepo= --disablerepo= --repo= --repoid= --releasever= --exclude= -x= --installed --available --all --showduplicates --recent --upgrades --list --info --whatprovides= --requires --latest-limit=',
    dry: '--assumeno',
    load: '-c= --config= --installroot= --setopt= --nogpgcheck --downloaddir= --repofrompath= --forcearch= --allowerasing',
    subs: {
      'list search info provides whatprovides repolist repoinfo check-update updateinfo deplist repoquery makecache grouplist history check help':
        { operands: 'tune' },
      'install reinstall builddep groupinstall': {
        operands: 'tune',
        judge: (_, reading) =>
          judgeSystemNames(reading) ??
          (reading.operands.some(({ text }) => /^[./]|^-|:\/\/|\.rpm$/.test(text))
            ? unknown('installs a file')
            : undefined),
      },
      'update upgrade': {
        operands: 'tune',
        judge: (_, reading) =>
          reading.operands.length > 0 ? undefined : unknown('replaces the packages of the whole system'),
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
      'add update upgrade fetch': {
        operands: 'tune',
        judge: (_, reading) =>
          reading.operands.some(({ text }) => /^[!./]/.test(text))
            ? unknown('removes a package, or installs a file')
            : undefined,
      },
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
      'install upgrade update fetch': {
        operands: 'tune',
        tune: '',
        judge: (_, reading) =>
          reading.path[0] === 'upgrade' &&
          reading.operands.length === 0 &&
          reading.given.every(({ role }) => role !== 'dry')
            ? unknown('replaces all that is installed')
            : reading.operands.some(({ text }) => /:\/\/|\//.test(text))
              ? unknown('installs from an address, or from a tap of somebody')
              : undefined,
      },
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
        operands: 'tune',
        load: '--dangerous --devmode --classic --jailmode',
        tune: '--channel= --edge --beta --candidate --stable',
        judge: ({ program }, reading) => {
          const names = reading.operands.map(({ text }) => text);
          if (names.some((name) => /^[./~]|:\/\/|\.(flatpak(ref)?|snap)$/.test(name)))
            return unknown('installs a file');
          return program === 'flatpak' && names.length > 1 && !/^(flathub(-beta)?|fedora)$/.test(names[0] ?? '')
            ? unknown('installs from a remote that is not known')
            : undefined;
        },
      },
    },
  },
  nix: {
    wraps: { sub: 'shell|develop', after: '-c --command', onlyCode: true, skip: 99 },
    operands: 'judged',
    dry: '--dry-run',
    open: 'evaluates what the project says',
    tune: '-q -qa -d --query --installed --available --delete-older-than=',
  },
};

/** What replaces the way the machine starts, or lets others log in. */
const SYSTEM_NAME =
  /^(sysvinit|runit|openrc|s6|upstart|systemd|elogind|linux-image|linux-headers|kernel|grub|shim|openssh-server|telnetd|inetd|xinetd|rsh-server|vsftpd|proftpd|samba$|tigervnc|x11vnc|xrdp|cockpit|teamviewer|anydesk)/;

function judgeSystemNames(reading: Reading): StaticVerdict | undefined {
  return reading.operands.some(({ text }) => SYSTEM_NAME.test(text))
    ? unknown('replaces a part of the system, or opens it to logins')
    : undefined;
}
