import type { Call } from '../programs/call.ts';
import type { Rule } from './rule.ts';

const first = (call: Call) => call.operands[0]?.text ?? '';

/** Packages, language environments and archives. */
export const PACKAGE_RULES: readonly Rule[] = [
  {
    name: 'apt install package-',
    programs: 'apt apt-get aptitude',
    shapes: ['install /^[a-z0-9][\\w.+-]+-$/'],
    reason: 'a name that ends in a minus is removed',
    match: ['apt-get install -y foo bar-'],
    pass: ['apt-get install -y foo bar', 'apt-get install g++'],
  },
  {
    name: 'package removal',
    programs:
      'apt apt-get aptitude dnf zypper apk snap flatpak brew pip pipx npm pnpm yarn bun gem cargo composer conda mamba micromamba poetry pdm uv go nix-env opam cabal stack luarocks cpan cpanm dotnet choco scoop winget port pkg pkgin pkg_delete xbps-remove eopkg emerge equo swupd guix nimble raco tlmgr npx code helm-plugin asdf mise nvm fnm n rbenv pyenv rustup sdk volta juliaup ghcup pkgutil krew mas easy_install pipenv rpm-ostree toolbox distrobox bower volta jabba tfenv rvm nodenv goenv vcpkg conan spack module-rm gup cask jspm bundle hex mix rebar3 elm pub dart flutter pod carthage tuist swiftly proto perlbrew phpbrew plenv',
    shapes: [
      'remove|purge|autoremove|auto-remove|uninstall|erase|rm|un|r|unlink|delete|del|clean|autoclean|autopurge|full-upgrade|dist-upgrade|dselect-upgrade|downgrade|prune|cleanup|unpublish|yank|deprecate|implode|nuke|gc|reset|zap|uninstall-all|deinstall|unregister|deregister|distro-sync|wipe|destroy|rollback',
      'env|toolchain|global|tool|plugin|plugins|cache|store|kernel|cask|venv|workload|override|self|target|component|repository|repo|bucket|source|config remove|rm|uninstall|delete|clean|purge|prune|reset|unset|clear',
      '--uninstall|--remove|--unmerge|--prune|--depclean|-C|-e|--uninstall-extension|--force-uninstall|--nuke',
      '* uninstall|remove|purge',
      'history undo|rollback',
      'untap',
      'services stop|restart|kill',
      'generation delete',
      'owner remove',
      'dist-tag|access|team|org rm|remove|revoke|destroy',
      'token revoke',
      'global remove|uninstall',
    ],
    when: (call) => {
      const sub = first(call);
      const { program } = call;
      if (program === 'emerge') return call.has('--unmerge', '-C', '--depclean', '-c', '--prune', '-P');
      if (program === 'nix-env') return call.has('-e', '--uninstall', '--delete-generations', '--rollback');
      if (program === 'code') return call.has('--uninstall-extension');
      if (call.has('--uninstall')) return true;
      if (
        /^(search|list|info|show|install|help|view|why|audit|outdated|run|exec|test|build|update|upgrade|add|init|create|i|ls|get|x|dlx|start|publish)$/.test(
          sub,
        )
      ) {
        return false;
      }
      if (/^(dist-upgrade|full-upgrade)$/.test(sub)) return true;
      if (program === 'go')
        return sub === 'clean' && call.has('-modcache', '-cache', '--modcache', '-testcache=', '-fuzzcache');
      if (program === 'cargo') return /^(uninstall|yank|remove|rm)$/.test(sub);
      if (
        /^(r|rm|un|unlink)$/.test(sub) &&
        !/^(npm|pnpm|yarn|bun|nvm|n|brew|poetry|uv|conda|mise|composer|pipx|fnm|mamba|zypper|go|emerge)$/.test(program)
      )
        return false;
      if (program === 'zypper' && sub === 'clean') return true;
      if (program === 'emerge') return call.has('--unmerge', '-C', '--depclean', '-c', '--prune', '-P');
      if (program === 'nix-env') return call.has('-e', '--uninstall', '--delete-generations', '--rollback');
      if (program === 'dnf' && sub === 'clean') return true;
      if (program === 'rbenv' || program === 'pyenv' || program === 'nodenv' || program === 'goenv')
        return sub === 'uninstall';
      if (program === 'code') return call.has('--uninstall-extension');
      if (/^(apt|apt-get|aptitude)$/.test(program) && /^(clean|autoclean)$/.test(sub)) return true;
      if (program === 'npm' && sub === 'ci') return false;
      if (program === 'dart' || program === 'pub' || program === 'flutter')
        return /^(clean|remove)$/.test(sub) || /^(cache|remove)$/.test(call.operands[1]?.text ?? '');
      if (program === 'mix' || program === 'rebar3' || program === 'bundle')
        return /^(clean|remove|hex\.retire|deps\.clean|ecto\.drop|ecto\.reset)$/.test(sub);
      if (program === 'npx') return false;
      return true;
    },
    reason: 'removes packages or their caches',
    match: [
      'apt-get -yq purge nginx',
      'sudo apt remove x',
      'dnf erase x',
      'pip uninstall -y x',
      'npm uninstall x',
      'brew uninstall x',
      'snap remove x',
      'yarn remove x',
      'conda env remove -n x',
      'cargo uninstall x',
      'rustup toolchain uninstall nightly',
      'npm cache clean --force',
      'uv cache clean',
      'pnpm store prune',
      'gem uninstall x',
      'npm unpublish x',
      'apt autoremove',
      'flatpak uninstall --all',
      'poetry remove x',
      'nvm uninstall 18',
      'go clean -modcache',
      'npm rm x',
      'apk del x',
      'brew cleanup',
      'docker-compose x; apt -y purge y',
    ],
    pass: [
      'apt-get -s remove x',
      'apt install x',
      'npm install',
      'npm run clean-logs',
      'pip list',
      'brew list',
      'apt search remove',
      'npm search prune',
      'go vet ./...',
      'pip install --upgrade pip',
      'cargo build',
      'cargo clean',
      'apt list --installed',
      'npm ls',
      'npm uninstall --dry-run x',
    ],
  },
  {
    name: 'package removal (old tools)',
    programs:
      'dpkg rpm pacman yay paru pamac xbps-remove pkg_delete pkg_remove slackpkg removepkg opkg ipkg nix-collect-garbage nix-store nix-channel nix apt-mark apt-key add-apt-repository snapper nixos-rebuild guix ostree rpm-ostree bootc pkgrm swinstall eselect cpanm pm-uninstall',
    when: (call) => {
      const words = call.args.map((field) => field.text);
      const line = words.join(' ');
      const sub = first(call);
      switch (call.program) {
        case 'dpkg':
          return (
            call.has('-r', '-P', '--remove', '--purge', '--force-all', '--forget-old-unavail', '--clear-selections') ||
            /--force-/.test(line)
          );
        case 'rpm':
          return call.has('-e', '--erase') || (call.has('--force', '--nodeps') && !call.has('-q'));
        case 'pacman':
        case 'yay':
        case 'paru':
        case 'pamac':
          return (
            words.some((word) => /^-[a-zA-Z]*R|^--remove$|^-S[a-z]*c|^-Yc|^-D$|^-[Udc]dd/.test(word)) ||
            (call.program === 'pamac' && /^(remove|clean)$/.test(sub)) ||
            call.has('--overwrite')
          );
        case 'xbps-remove':
        case 'pkg_delete':
        case 'pkg_remove':
        case 'removepkg':
        case 'pkgrm':
        case 'nix-collect-garbage':
          return !call.has('-n', '--dry-run');
        case 'slackpkg':
        case 'opkg':
        case 'ipkg':
          return /^(remove|clean-system|clean)$/.test(sub);
        case 'nix-store':
          return call.has('--gc', '--delete');
        case 'nix':
          return (
            /^(store (gc|delete)|profile (remove|wipe-history)|-?-?gc|channel --remove)/.test(
              call.operands
                .slice(0, 2)
                .map((operand) => operand.text)
                .join(' '),
            ) || sub === 'upgrade-nix'
          );
        case 'nix-channel':
          return call.has('--remove', '--rollback');
        case 'apt-key':
          return /^(del|remove)$/.test(sub);
        case 'add-apt-repository':
          return call.has('-r', '--remove');
        case 'snapper':
          return /\b(delete|rollback|undochange|cleanup|delete-config)\b/.test(line);
        case 'nixos-rebuild':
          return /\b(switch|boot)\b/.test(line) || call.has('--rollback');
        case 'ostree':
        case 'rpm-ostree':
        case 'bootc':
          return /\b(undeploy|prune|rollback|cleanup|uninstall|reset|rebase|override|switch|refs --delete)\b/.test(
            line,
          );
        case 'guix':
          return /^(remove|gc)$/.test(sub) || call.has('--delete-generations', '-r', '--roll-back', '-d');
        default:
          return false;
      }
    },
    reason: 'removes packages',
    match: [
      'dpkg -P nginx',
      'rpm -e httpd',
      'pacman -Rns x',
      'pacman -Scc',
      'nix-collect-garbage -d',
      'snapper delete 3',
      'dpkg --remove --force-depends x',
      'yay -Rs x',
    ],
    pass: [
      'dpkg -l',
      'rpm -qa',
      'pacman -Q',
      'pacman -Syu',
      'dpkg -L x',
      'pacman -Ss remove',
      'rpm -qf /bin/ls',
      'nix-collect-garbage --dry-run',
      'pacman -Rp x',
    ],
  },
  {
    name: 'archive loses files',
    programs:
      'tar gtar star zip unzip 7z 7zr rar unrar gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress ar cpio dar lha unar bsdtar pigz pbzip2 lzma uncompress lrzip brotli mksquashfs unsquashfs',
    when: (call) => {
      const words = call.args.map((field) => field.text);
      const sub = words[0] ?? '';
      switch (call.program) {
        case 'tar':
        case 'star':
          return (
            call.has(
              '--delete',
              '--remove-files',
              '--overwrite',
              '--recursive-unlink',
              '--unlink-first',
              '--overwrite-dir',
              '-U',
            ) ||
            ((call.has('-x', '--extract', '--get') || /^[a-z]*x[a-z]*$/.test(sub)) &&
              /^(\/|\/etc|\/usr|\/boot|\/bin|\/lib|\/sbin)\/?$/.test(
                call.value('-C', '--directory') ?? words[words.indexOf('-C') + 1] ?? '',
              ))
          );
        case 'zip':
          return (
            call.has('-m', '--move', '-d', '--delete', '-FS', '--filesync') ||
            words.some((word) => /^-[a-zA-Z]*[md][a-zA-Z]*$/.test(word) && !/^-(db|dc|dd|dg|ds|du|dv|mm)$/.test(word))
          );
        case 'unzip':
          return words.some((word) => /^-[a-zA-Z]*o/.test(word));
        case '7z':
          return (
            sub === 'd' ||
            words.some((word) => word === '-sdel' || word === '-aoa') ||
            (/^(x|e)$/.test(sub) && words.includes('-y')) ||
            sub === 'rn'
          );
        case 'rar':
          return /^(d|m|mf|cw|k)$/.test(sub) || words.some((word) => /^-(df|o\+|dw)$/.test(word));
        case 'unrar':
          return words.some((word) => /^-(o\+|or)$/.test(word)) || (words.includes('-y') && !words.includes('-o-'));
        case 'unar':
          return call.has('-f', '--force-overwrite');
        case 'gzip':
        case 'gunzip':
        case 'bzip2':
        case 'bunzip2':
        case 'xz':
        case 'unxz':
        case 'lzma':
        case 'compress':
        case 'uncompress':
        case 'pigz':
        case 'pbzip2':
        case 'lz4':
        case 'lrzip':
        case 'brotli':
          return (
            (call.has('-f', '--force', '-j=', '--rm') && !call.has('-c', '--stdout', '-t', '--test', '-l', '--list')) ||
            (call.program === 'brotli' && call.has('-j', '--rm'))
          );
        case 'zstd':
        case 'unzstd':
          return call.has('--rm', '-f', '--force') && !call.has('-c', '--stdout');
        case 'ar':
          return /^-?[a-zA-Z]*[dm]/.test(sub) && !/^-?[tpx]/.test(sub);
        case 'cpio':
          return call.has('-u', '--unconditional') || words.some((word) => /^-[a-z]*u/.test(word));
        case 'unsquashfs':
          return call.has('-f', '-force', '--force');
        case 'mksquashfs':
          return call.has('-noappend', '--noappend');
        case 'lha':
          return /^-?[dm]/.test(sub);
        case 'dar':
          return call.has('-x') && call.has('-w');
        default:
          return false;
      }
    },
    reason: 'removes or overwrites files while packing or unpacking',
    match: [
      'tar --remove-files -czf a.tgz dir',
      'tar --delete -f a.tar x',
      'unzip -o a.zip',
      'zip -m a.zip *.log',
      'zip -d a.zip x',
      '7z d a.7z x',
      '7z a -sdel a.7z dir',
      'gzip -f x',
      'xz --force x',
      'tar -xf a.tar -C /',
      'tar xf a.tar --overwrite',
      'rar m a.rar x',
      'ar d lib.a x.o',
      'zstd --rm x',
    ],
    pass: [
      'tar czf a.tgz dir',
      'tar tf a.tar',
      'tar xf a.tar',
      'unzip -l a.zip',
      'zip -r a.zip dir',
      '7z l a.7z',
      'gzip -c x',
      'gunzip -t x.gz',
      'ar t lib.a',
      'unzip a.zip -d out',
      'tar --exclude=.git -czf a.tgz .',
      'ar rcs lib.a x.o',
    ],
  },
  {
    name: 'tar runs a program',
    programs: 'tar',
    when: (call) =>
      call.args.some((field) =>
        /^--checkpoint-action=exec|^--to-command|^--info-script|^--new-volume-script|^--rmt-command/.test(field.text),
      ) || /exec=/.test(call.value('--checkpoint-action') ?? ''),
    reason: 'tar runs commands',
    match: ['tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec="rm -rf y"', 'tar xf a.tar --to-command=sh'],
    pass: ['tar cf x.tar y --checkpoint=1 --checkpoint-action=dot'],
  },
  {
    name: 'build uninstall',
    programs: 'make ninja cmake gmake rake gradle gradlew mvn mvnw ant bazel bazelisk scons',
    when: (call) =>
      call.operands.some((operand) =>
        /^(uninstall|purge|nuke|wipe|obliterate|[\w-]*(db|database)[:_-](drop|reset|purge|wipe|nuke)|drop[-_]?(db|database)|destroy|teardown|deinstall)$/.test(
          operand.text,
        ),
      ) || call.has('--expunge', '--expunge_async'),
    reason: 'removes what was installed or stored',
    match: ['make uninstall', 'rake db:drop', 'bazel clean --expunge', 'make destroy', 'make -C infra teardown'],
    pass: ['make', 'make -n uninstall', 'make test', 'mvn package', 'ninja', 'cmake --build build', 'gradle tasks'],
  },
];
