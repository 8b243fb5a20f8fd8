import { type Condition, row } from '../programs/record.ts';
import { NEVER, type Rule } from './rule.ts';

/** Published releases can’t be taken back: registries let nobody remove a version or reuse its number. */
export const PUBLISHING_RULES: readonly Rule[] = [
  row('publish', 'publishes a release, which can’t be taken back', {
    of: {
      'npm pnpm yarn bun jsr lerna': {
        any: [{ first: /^publish$/ }, { first: /^(npm|workspaces?)$/, second: /^publish$/ }],
        not: { line: /\s--dry-run(?!=(false|0|no))(?=[\s=]|$)/ },
      },
      cargo: { first: /^publish$/, not: { shape: '--dry-run|-n' } },
      'poetry uv pdm flit hatch deno vsce ovsx wasm-pack': { first: /^publish$/, not: { shape: '--dry-run' } },
      'gem nuget': { first: /^push$/ },
      twine: { first: /^upload$/ },
      dotnet: { first: /^nuget$/, second: /^push$/ },
      mix: { first: /^hex\.publish$/, not: { shape: '--dry-run' } },
      pod: { first: /^trunk$/, second: /^push$/ },
      cabal: { first: /^upload$/, shape: '--publish' },
      luarocks: { first: /^upload$/ },
      'dart flutter pub': { any: [{ first: /^publish$/ }, { second: /^publish$/ }], not: { shape: '--dry-run|-n' } },
      goreleaser: { first: /^release$/, not: { line: /--(snapshot|skip[= ]\S*publish|skip-publish)/ } },
      'semantic-release release-it': { not: { shape: '--dry-run|-d|--help|--version' } },
      snapcraft: { first: /^(upload|release|push)$/ },
      'mvn mvnw': { operand: /^(deploy|deploy:deploy|release:perform|nexus-staging:release)$/ },
      'gradle gradlew sbt': { operand: /^(?:.*[:/])?publish(?!\w*Local)\w*$/, not: { shape: '--dry-run|-m' } },
    },
  }),
  row('package source', 'changes where packages, whose code runs, come from', {
    programs: 'npm pnpm yarn pip gem conda bundle',
    shapes: [
      'config set /^registry|npmRegistryServer|(global\\.|user\\.)?(extra-)?index-url|(@[\\w-]+:)registry/',
      'config set|--add channels',
      'sources --add|-a',
      'config mirror.all|mirror.https://rubygems.org +',
    ],
  }),
];

/** Short names of `remove`, which mean something else to these programs. */
const SHORT: Condition = { first: /^(r|rm|un|unlink)$/ };
/** Subcommands that only look or add, whatever words follow. */
const LOOKS_OR_ADDS: Condition = {
  first:
    /^(search|list|info|show|install|help|view|why|audit|outdated|run|exec|test|build|update|upgrade|add|init|create|i|ls|get|x|dlx|start|publish)$/,
};

/** Returns the condition for a removing word: no reading or adding word precedes it, and `what` holds. */
function removal(what: Condition = { all: [] }): Condition {
  const upgrade: Condition = { first: /^(dist-upgrade|full-upgrade)$/ };
  return { any: [{ shape: '--uninstall' }, { not: LOOKS_OR_ADDS, any: [upgrade, what] }] };
}

/** Packages, language environments and archives. */
export const PACKAGE_RULES: readonly Rule[] = [
  row('package removal', 'removes packages or their caches', {
    shapes: [
      'deps.clean|hex.retire',
      'remove|purge|autoremove|auto-remove|uninstall|erase|rm|un|r|unlink|delete|del|clean|autoclean|autopurge|full-upgrade|dist-upgrade|dselect-upgrade|downgrade|prune|cleanup|unpublish|yank|deprecate|implode|nuke|gc|reset|zap|uninstall-all|deinstall|unregister|deregister|distro-sync|wipe|destroy|rollback',
      'env|toolchain|global|tool|plugin|plugins|cache|store|kernel|cask|venv|workload|override|self|target|component|repository|repo|bucket|source|config remove|rm|uninstall|delete|clean|purge|prune|reset|unset|clear',
      '--rm|--uninstall|--remove|--unmerge|--prune|--depclean|-C|-e|--uninstall-extension|--force-uninstall|--nuke',
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
    of: {
      'apt apt-get aptitude dnf apk snap flatpak pip gem micromamba pdm opam cabal stack luarocks cpan cpanm dotnet choco scoop winget port pkg pkgin pkg_delete xbps-remove eopkg equo swupd guix nimble raco tlmgr helm-plugin asdf rustup sdk volta juliaup ghcup pkgutil krew mas easy_install pipenv rpm-ostree toolbox distrobox bower jabba tfenv rvm vcpkg conan spack module-rm gup cask jspm hex elm pod carthage tuist swiftly proto perlbrew phpbrew plenv':
        removal({ not: SHORT }),
      'zypper brew pipx pnpm yarn bun composer conda mamba poetry uv mise nvm fnm n': removal(),
      npm: removal({ not: { first: /^ci$/ } }),
      cargo: removal({ first: /^(uninstall|yank|remove|rm)$/ }),
      go: removal({ first: /^clean$/, shape: '-modcache|-cache|--modcache|-fuzzcache' }),
      npx: removal(NEVER),
      'rbenv pyenv nodenv goenv': removal({ first: /^uninstall$/ }),
      'bundle mix rebar3': removal({ first: /^(clean|remove|hex\.retire|deps\.clean|ecto\.drop|ecto\.reset)$/ }),
      'pub dart flutter': removal({ not: SHORT, any: [{ first: /^(clean|remove)$/ }, { second: /^(cache|remove)$/ }] }),
      'nix-env': { shape: '-e|--uninstall|--delete-generations|--rollback' },
      emerge: { shape: '--unmerge|-C|--depclean|-c|--prune|-P' },
      code: { shape: '--uninstall-extension' },
      pipenv: { any: [{ shape: '--rm' }, { first: /^(uninstall|clean)$/ }] },
      nuget: { first: /^locals$/, shape: '-clear|--clear' },
    },
  }),
  row('package removal (old tools)', 'removes packages', {
    of: {
      dpkg: {
        any: [
          { shape: '-r|-P|--remove|--purge|--force-all|--forget-old-unavail|--clear-selections' },
          { line: /--force-/ },
        ],
      },
      rpm: { any: [{ shape: '-e|--erase' }, { shape: '--force|--nodeps', not: { shape: '-q' } }] },
      'pacman yay paru': {
        any: [{ argument: /^-[a-zA-Z]*R|^--remove$|^-S[a-z]*c|^-Yc|^-D$|^-[Udc]dd/ }, { shape: '--overwrite' }],
      },
      pamac: {
        any: [
          { argument: /^-[a-zA-Z]*R|^--remove$|^-S[a-z]*c|^-Yc|^-D$|^-[Udc]dd/ },
          { first: /^(remove|clean)$/ },
          { shape: '--overwrite' },
        ],
      },
      'xbps-remove pkg_delete pkg_remove removepkg nix-collect-garbage pkgrm': { not: { shape: '-n|--dry-run' } },
      'slackpkg opkg ipkg': { first: /^(remove|clean-system|clean)$/ },
      'nix-store': { shape: '--gc|--delete' },
      'nix-channel': { shape: '--remove|--rollback' },
      nix: {
        any: [
          { range: [0, 2, /^(store (gc|delete)|profile (remove|wipe-history)|-?-?gc|channel --remove)/] },
          { first: /^upgrade-nix$/ },
        ],
      },
      'apt-mark swinstall eselect cpanm pm-uninstall': NEVER,
      'apt-key': { first: /^(del|remove)$/ },
      'add-apt-repository': { shape: '-r|--remove' },
      snapper: { line: /\b(delete|rollback|undochange|cleanup|delete-config)\b/ },
      'nixos-rebuild': { any: [{ line: /\b(switch|boot)\b/ }, { shape: '--rollback' }] },
      guix: { any: [{ first: /^(remove|gc)$/ }, { shape: '--delete-generations|-r|--roll-back|-d' }] },
      'ostree rpm-ostree bootc': {
        line: /\b(undeploy|prune|rollback|cleanup|uninstall|reset|rebase|override|switch|refs --delete)\b/,
      },
    },
  }),
  row('archive loses files', 'removes or overwrites files while packing or unpacking', {
    kept: true,
    of: {
      'tar star': {
        any: [
          { shape: '--delete|--remove-files|--overwrite|--recursive-unlink|--unlink-first|--overwrite-dir|-U' },
          {
            all: [
              { any: [{ shape: '-x|--extract|--get' }, { argument0: /^[a-z]*x[a-z]*$/ }] },
              {
                any: [
                  { value: ['-C|--directory', /^(\/|\/etc|\/usr|\/boot|\/bin|\/lib|\/sbin)\/?$/] },
                  { line: /(^| )-C \/(etc|usr|boot|bin|lib|sbin)?\/?( |$)/ },
                ],
              },
            ],
          },
        ],
      },
      'gtar 7zr bsdtar': NEVER,
      zip: {
        any: [
          { shape: '-m|--move|-d|--delete|-FS|--filesync' },
          { argument: /^(?!-(db|dc|dd|dg|ds|du|dv|mm)$)-[a-zA-Z]*[md][a-zA-Z]*$/ },
        ],
      },
      unzip: { argument: /^-[a-zA-Z]*o/ },
      '7z': {
        any: [
          { argument0: /^d$/ },
          { argument: /^-(sdel|aoa)$/ },
          { argument0: /^(x|e)$/, argument: /^-y$/ },
          { argument0: /^rn$/ },
        ],
      },
      rar: { any: [{ argument0: /^(d|m|mf|cw|k)$/ }, { argument: /^-(df|o\+|dw)$/ }] },
      unrar: { any: [{ argument: /^-(o\+|or)$/ }, { argument: /^-y$/, not: { argument: /^-o-$/ } }] },
      'gzip gunzip bzip2 bunzip2 xz unxz lz4 compress pigz pbzip2 lzma uncompress lrzip': {
        shape: '-f|--force|--rm',
        not: { shape: '-c|--stdout|-t|--test|-l|--list' },
      },
      'zstd unzstd': { shape: '--rm|-f|--force', not: { shape: '-c|--stdout' } },
      ar: { argument0: /^-?[a-zA-Z]*[dm]/, not: { argument0: /^-?[tpx]/ } },
      cpio: { any: [{ shape: '-u|--unconditional' }, { argument: /^-[a-z]*u/ }] },
      dar: { all: [{ shape: '-x' }, { shape: '-w' }] },
      lha: { argument0: /^-?[dm]/ },
      unar: { shape: '-f|--force-overwrite' },
      brotli: {
        any: [{ shape: '-f|--force|--rm', not: { shape: '-c|--stdout|-t|--test|-l|--list' } }, { shape: '-j|--rm' }],
      },
      mksquashfs: { shape: '-noappend|--noappend' },
      unsquashfs: { shape: '-f|-force|--force' },
    },
  }),
  row('build uninstall', 'removes installed or stored files', {
    of: {
      'make ninja cmake gmake rake gradle gradlew mvn mvnw ant bazel bazelisk scons': {
        any: [
          {
            argument:
              /^(uninstall|purge|nuke|wipe|obliterate|[\w-]*(db|database)[:_-](drop|reset|purge|wipe|nuke)|drop[-_]?(db|database)|destroy|teardown|deinstall)$/,
          },
          { shape: '--expunge|--expunge_async' },
        ],
      },
    },
  }),
];
