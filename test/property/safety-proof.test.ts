import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeCommand } from '../../src/safety/index.ts';
import { cases } from '../support/cases.ts';

type Row = { readonly label: string; readonly cmd: string };

const safe = ['gate', 'everyday']
  .flatMap((name) =>
    readFileSync(new URL(`../corpus/${name}.jsonl`, import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as Row).cmd),
  )
  // Only single plain commands, so that an added word belongs to the command.
  .filter((cmd) => /^[a-z][\w.+-]* [^|&;<>(){}`$#\n'"]*$/.test(cmd) && judgeCommand(cmd).verdict === 'safe');
const line = fc.constantFrom(...safe);
/** Programs that treat every word as text, and the shell’s `test`. */
const TAKES_ANYTHING = /^(echo|printf|true|false|test|expr|exit|return|set|shift|cd|read|export|declare|local)\b/;

test('an unknown option makes every safe line unsafe', () => {
  fc.assert(
    fc.property(
      line.filter((text) => !TAKES_ANYTHING.test(text)),
      fc.constantFrom('--aish-no-such-option', '--aish-no-such-option=x', '-\u00e4'),
      (text, option) => {
        const [program = '', ...rest] = text.split(' ');
        expect(judgeCommand([program, option, ...rest].join(' ')).verdict).not.toBe('safe');
      },
    ),
    { numRuns: cases(400) },
  );
});

test('an unknown assignment makes every safe line unsafe', () => {
  const names = fc.constantFrom(
    'AISH_NO_SUCH',
    'PATH',
    'LD_PRELOAD',
    'GIT_PAGER',
    'PAGER',
    'BASH_ENV',
    'NODE_OPTIONS',
    'HOME',
  );
  fc.assert(
    fc.property(line, names, fc.constantFrom('', 'env ', 'sudo '), (text, name, wrapper) => {
      expect(judgeCommand(`${wrapper}${name}=x ${text}`).verdict).not.toBe('safe');
    }),
    { numRuns: cases(400) },
  );
});

test('a redirection into a possibly existing file makes every safe line unsafe', () => {
  fc.assert(
    fc.property(
      line,
      fc.constantFrom('> notes.md', '>| notes.md', '1<> notes.md', '&> n*.md', '>> ~/.bashrc', '2> .git/config'),
      (text, redirect) => {
        expect(judgeCommand(`${text} ${redirect}`).verdict).not.toBe('safe');
      },
    ),
    { numRuns: cases(400) },
  );
});

/** Ways to write a file, which may be one that a tool obeys. */
const WRITES: readonly ((file: string) => string)[] = [
  (file) => `echo x > ${file}`,
  (file) => `echo x >> ${file}`,
  (file) => `echo x | tee -a ${file}`,
  (file) => `cp x ${file}`,
  (file) => `mv x ${file}`,
  (file) => `ln -s x ${file}`,
  (file) => `sed -i s/a/b/ ${file}`,
  (file) => `python3 -c "open('${file}','a').write('x')"`,
];

/** Files by the program that obeys them, with a call of it that is safe alone. */
const CONTROL: readonly (readonly [obeys: string, files: string])[] = [
  [
    'git status',
    '.git/config .git/config.worktree .git/info/attributes .git/hooks/post-index-change ~/.gitconfig ~/.config/git/config ~/.config/git/attributes',
  ],
  ['git diff', '.gitattributes .git/config'],
  ['git commit -m x', '.git/hooks/pre-commit .git/hooks/commit-msg .husky/pre-commit .githooks/pre-commit'],
  ['git fetch', '.git/config .git/hooks/reference-transaction ~/.ssh/config'],
  [
    'ls',
    '~/.bashrc ~/.bash_profile ~/.profile ~/.bash_aliases ~/.zshrc ~/.zshenv ~/.inputrc ~/.local/bin/ls ~/bin/ls ~/.cargo/bin/ls .envrc ~/.config/fish/config.fish ~/.config/autostart/x.desktop ~/.config/systemd/user/x.service /etc/ld.so.preload /etc/profile.d/x.sh',
  ],
  ['pytest', 'conftest.py tests/conftest.py pytest.ini tox.ini setup.cfg pyproject.toml sitecustomize.py'],
  ['python3 -c "import json"', 'json.py sitecustomize.py ~/.local/lib/python3.12/site-packages/x.pth'],
  ['pip install x', 'setup.py ~/.config/pip/pip.conf ~/.pip/pip.conf'],
  ['npm ls', 'package.json .npmrc ~/.npmrc'],
  ['eslint .', '.eslintrc.js eslint.config.mjs package.json .npmrc'],
  ['jest', 'jest.config.js babel.config.js package.json .babelrc'],
  ['vitest run', 'vitest.config.ts vite.config.ts package.json tsconfig.json'],
  ['prettier --check .', '.prettierrc prettier.config.js package.json'],
  ['cargo build', 'build.rs Cargo.toml .cargo/config.toml rust-toolchain.toml'],
  ['cargo test', 'Cargo.toml Cargo.lock'],
  ['go test ./...', 'go.mod go.work'],
  ['cmake -B build', 'CMakeLists.txt CMakePresets.json cmake/x.cmake'],
  ['docker build .', 'Dockerfile'],
  ['docker compose up -d', 'compose.yml docker-compose.yaml docker-compose.override.yml Dockerfile'],
  ['gradle test', 'build.gradle settings.gradle.kts gradle.properties'],
  ['mvn test', 'pom.xml .mvn/jvm.config .mvn/extensions.xml'],
  ['bundle list', 'Gemfile Gemfile.lock .bundle/config'],
  ['rspec', '.rspec Gemfile spec/spec_helper.rb'],
  ['curl https://example.com', '~/.curlrc ~/.netrc'],
  ['ssh host ls', '~/.ssh/config ~/.ssh/rc'],
  ['psql -c "select 1"', '~/.psqlrc ~/.pgpass'],
  ['kubectl get pods', '~/.kube/config'],
  ['aws s3 ls', '~/.aws/config ~/.aws/credentials'],
  ['docker ps', '~/.docker/config.json ~/.docker/cli-plugins/docker-x'],
];

test.each(CONTROL.flatMap(([obeys, files]) => files.split(' ').map((file) => [file, obeys] as const)))(
  'writing %s in any of eight ways makes the program that obeys it unsafe: %s',
  (file, obeys) => {
    expect(WRITES.filter((write) => judgeCommand(`${write(file)} && ${obeys}`).verdict === 'safe')).toEqual([]);
  },
);

test('each program that obeys a file is safe when no such file was written', () => {
  expect(CONTROL.map(([obeys]) => obeys).filter((obeys) => judgeCommand(obeys).verdict !== 'safe')).toEqual([]);
});

/** Ways to pass a variable to a program. */
const SETS: readonly ((name: string, program: string) => string)[] = [
  (name, program) => `${name}=./x ${program}`,
  (name, program) => `env ${name}=./x ${program}`,
  (name, program) => `sudo ${name}=./x ${program}`,
  (name, program) => `export ${name}=./x; ${program}`,
  (name, program) => `${name}=./x; export ${name}; ${program}`,
  (name, program) => `declare -x ${name}=./x && ${program}`,
  (name, program) => `set -a; ${name}=./x; ${program}`,
  (name, program) => `read -r ${name} <<< ./x; export ${name}; ${program}`,
];

/** Variables that change what programs find, load, run, write to or contact. A star means any name. */
const VARIABLES: readonly (readonly [program: string, names: string])[] = [
  [
    'ls',
    'PATH CDPATH ENV BASH_ENV PS4 PROMPT_COMMAND POSIXLY_CORRECT EXECIGNORE FPATH ZDOTDIR LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_DEBUG_OUTPUT LD_PROFILE_OUTPUT DYLD_INSERT_LIBRARIES GCONV_PATH LOCPATH NLSPATH GETCONF_DIR HOSTALIASES RES_OPTIONS LOCALDOMAIN MALLOC_TRACE GLIBC_TUNABLES HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS USERPROFILE TMPDIR',
  ],
  [
    'man ls',
    'EDITOR VISUAL PAGER BROWSER SHELL MANPAGER MANOPT MANROFFOPT LESSOPEN LESSCLOSE LESSKEY LESSEDIT LESSHISTFILE',
  ],
  ['systemctl status', 'SYSTEMD_EDITOR SYSTEMD_PAGER SYSTEMD_LESS'],
  ['ssh-add -l', 'SSH_ASKPASS SUDO_EDITOR SUDO_ASKPASS SSH_AUTH_SOCK'],
  ['gpg -k', 'GPG_AGENT_INFO GNUPGHOME'],
  [
    'python3 -c "print(1)"',
    'PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONWARNINGS PYTHONBREAKPOINT PYTHONINSPECT PYTHONUSERBASE PYTHONPYCACHEPREFIX PYTHONPLATLIBDIR',
  ],
  ['pytest', 'PYTEST_ADDOPTS PYTEST_PLUGINS COVERAGE_PROCESS_START TOX_X NOX_X VIRTUAL_ENV CONDA_PREFIX'],
  ['pip list', 'PIP_INDEX_URL PIP_CONFIG_FILE PIP_TARGET PIP_LOG UV_INDEX_URL'],
  [
    'npm ls',
    'NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE NODE_REDIRECT_WARNINGS NODE_TLS_REJECT_UNAUTHORIZED NODE_REPL_EXTERNAL_MODULE npm_config_script_shell npm_config_node_options npm_config_shell npm_config_git npm_config_editor npm_config_viewer npm_config_userconfig npm_config_globalconfig npm_config_prefix npm_config_cache npm_config_registry npm_config_ignore_scripts YARN_RC_FILENAME PNPM_HOME BUN_INSTALL DENO_DIR',
  ],
  ['perl -e "print 1"', 'PERL5OPT PERL5LIB PERLLIB PERL5DB PERL5SHELL PERL_MM_OPT'],
  ['ruby -e "puts 1"', 'RUBYOPT RUBYLIB RUBYSHELL GEM_HOME BUNDLE_GEMFILE IRBRC'],
  ['php -v', 'PHPRC PHP_INI_SCAN_DIR COMPOSER_HOME'],
  ['ls -la', 'LUA_INIT LUA_PATH LUA_CPATH'],
  ['java -version', 'JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS CLASSPATH'],
  ['mvn test', 'MAVEN_OPTS MAVEN_ARGS MAVEN_CONFIG JAVACMD'],
  ['gradle test', 'GRADLE_OPTS GRADLE_USER_HOME ANT_OPTS ANT_ARGS SBT_OPTS'],
  [
    'cargo build',
    'RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTDOC RUSTFLAGS RUSTDOCFLAGS CARGO CARGO_HOME CARGO_TARGET_DIR CARGO_BUILD_RUSTC CARGO_ALIAS_B RUSTUP_HOME',
  ],
  [
    'go build ./...',
    'GOFLAGS GOPATH GOROOT GOBIN GOENV GOPROXY GOTOOLCHAIN GOPRIVATE GOINSECURE GOCACHEPROG GOAUTH GOVCS CGO_CFLAGS GO_EXTLINK_ENABLED',
  ],
  [
    'gcc -c a.c',
    'CC CXX CPP LD AR AS LINKER CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES MAKESHELL COMPILER_PATH GCC_EXEC_PREFIX CPATH LIBRARY_PATH DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES CCACHE_DIR DISTCC_HOSTS',
  ],
  ['cmake -B build', 'CMAKE_TOOLCHAIN_FILE CTEST_OUTPUT_ON_FAILURE PKG_CONFIG PKG_CONFIG_PATH ACLOCAL_PATH AUTOM4TE'],
  ['tar tzf a.tgz', 'TAR_OPTIONS TAPE GZIP BZIP2 XZ_OPT XZ_DEFAULTS ZIPOPT UNZIP'],
  ['rsync -n a/ b/', 'RSYNC_RSH RSYNC_PROXY RSYNC_CONNECT_PROG RSYNC_OLD_ARGS CVS_RSH'],
  ['vim --version', 'VIMINIT EXINIT GVIMINIT VIM VIMRUNTIME MYVIMRC EMACSLOADPATH NANORC'],
  ['awk "{print}" a', 'AWKPATH AWKLIBPATH'],
  ['rg x', 'GREP_OPTIONS RIPGREP_CONFIG_PATH FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS BAT_PAGER DELTA_PAGER'],
  [
    'psql -c "select 1"',
    'SQLITE_HISTORY PSQLRC PSQL_PAGER PSQL_EDITOR PGSERVICEFILE PGSSLKEY PGHOST MYSQL_HOME MYSQL_HISTFILE LIBMYSQL_PLUGINS',
  ],
  ['docker ps', 'DOCKER_HOST DOCKER_CONFIG DOCKER_CONTEXT BUILDX_BUILDER COMPOSE_FILE'],
  ['kubectl get pods', 'KUBECONFIG KUBE_EDITOR KUBECTL_EXTERNAL_DIFF HELM_PLUGINS'],
  ['terraform version', 'TF_CLI_ARGS TF_CLI_CONFIG_FILE TF_LOG_PATH TF_PLUGIN_CACHE_DIR TF_DATA_DIR TF_VAR_x'],
  [
    'aws s3 ls',
    'AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_ENDPOINT_URL AWS_CA_BUNDLE AWS_PAGER AWS_DATA_PATH CLOUDSDK_PYTHON AZURE_CONFIG_DIR BOTO_CONFIG',
  ],
  ['gh pr list', 'GH_EDITOR GH_PAGER GH_BROWSER GH_HOST GH_TOKEN GH_CONFIG_DIR GH_PATH'],
  [
    'curl https://example.com',
    'OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES SSLKEYLOGFILE SSL_CERT_FILE SSL_CERT_DIR CURL_HOME CURL_CA_BUNDLE http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY',
  ],
  ['wget --spider https://example.com', 'WGETRC SYSTEM_WGETRC'],
  [
    'ansible --version',
    'ANSIBLE_CONFIG GTK_MODULES GTK_PATH QT_PLUGIN_PATH GIO_EXTRA_MODULES GST_PLUGIN_PATH HISTFILE INPUTRC',
  ],
  [
    'git status',
    'GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 GIT_CONFIG_PARAMETERS GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_MAN_VIEWER GIT_ALLOW_PROTOCOL GIT_PROTOCOL_FROM_USER GIT_DIR GIT_COMMON_DIR GIT_ATTR_SOURCE GIT_TRACE GIT_TRACE2 GIT_TRACE2_EVENT GIT_TRACE_PACKET GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE GIT_REDIRECT_STDOUT GIT_QUARANTINE_PATH GIT_REPLACE_REF_BASE GIT_SHALLOW_FILE GIT_SSL_NO_VERIFY GIT_HTTP_USER_AGENT GIT_PROXY_SSL_CERT GIT_CURL_VERBOSE',
  ],
];

test.each(VARIABLES)('every variable that %s obeys, set in any of eight ways, makes it unsafe', (program, names) => {
  const left = names
    .split(' ')
    .flatMap((name) => SETS.map((set) => set(name, program)).filter((line) => judgeCommand(line).verdict === 'safe'));
  expect(left).toEqual([]);
});

test('each program that obeys a variable is safe when that variable is not set', () => {
  expect(VARIABLES.map(([program]) => program).filter((program) => judgeCommand(program).verdict !== 'safe')).toEqual(
    [],
  );
});
