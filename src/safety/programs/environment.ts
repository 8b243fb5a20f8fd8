import { pattern } from '../../text/pattern.ts';
import { isNumeric } from '../shell/arithmetic.ts';
import { decidesThere } from '../shell/dialect.ts';
import type { Machine } from '../shell/machine.ts';
import { hasUnknown } from '../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown, worse } from '../verdict.ts';
import { recordOf } from './records/index.ts';

/** Variables that change appearance, verbosity, or the number of threads. */
const HARMLESS = pattern(String.raw`
    ^(LANG|LANGUAGE|LC_\w+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|CI
    |DEBIAN_FRONTEND|NEEDRESTART_MODE|PYTHON(UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|IOENCODING|UTF8|FAULTHANDLER
    |OPTIMIZE|NOUSERSITE|SAFEPATH)|PIP_(NO_INPUT|DISABLE_PIP_VERSION_CHECK|NO_CACHE_DIR|BREAK_SYSTEM_PACKAGES)
    |NODE_ENV|NODE_NO_WARNINGS|RAILS_ENV|RACK_ENV|FLASK_ENV|APP_ENV|RUST_BACKTRACE|RUST_LOG|CARGO_TERM_COLOR
    |CARGO_INCREMENTAL|GOOS|GOARCH|CGO_ENABLED|GO111MODULE|GOMAXPROCS|(OMP|MKL|OPENBLAS)_NUM_THREADS
    |TOKENIZERS_PARALLELISM|CUDA_VISIBLE_DEVICES|TF_CPP_MIN_LOG_LEVEL|DEBUG|VERBOSE|LOG_LEVEL|PORT|HOST
    |SOURCE_DATE_EPOCH|GIT_(TERMINAL_PROMPT|OPTIONAL_LOCKS|(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|ADVICE|FLUSH
    |PROGRESS_DELAY|CEILING_DIRECTORIES|(LITERAL|GLOB|NOGLOB|ICASE)_PATHSPECS|MERGE_VERBOSITY|NO_LAZY_FETCH
    |NO_REPLACE_OBJECTS)|HOMEBREW_NO_(AUTO_UPDATE|ANALYTICS)|DO_NOT_TRACK|NEXT_TELEMETRY_DISABLED
    |npm_config_(yes|loglevel|fund|audit|progress|color|update_notifier)|MANWIDTH|PGCONNECT_TIMEOUT|PGAPPNAME
    |AWS_(REGION|DEFAULT_REGION|DEFAULT_OUTPUT)|KUBE_NAMESPACE|GREP_COLORS?|LS_COLORS|NINJA_STATUS|ZSTD_CLEVEL
    |OPTIND|REPLY|HISTSIZE|HISTFILESIZE|HISTCONTROL|HISTTIMEFORMAT|SECONDS|RANDOM|IFS)$
  `);

/** Variables that decide what is found, loaded or run, where files go, or which servers are used. */
const DECIDES = pattern(String.raw`
    ^(PATH|CDPATH|ENV|BASH_.*|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|POSIXLY_CORRECT|EXECIGNORE|FPATH|ZDOTDIR|(LD
    |DYLD)_\w+|GCONV_PATH|LOCPATH|NLSPATH|GETCONF_DIR|HOSTALIASES|RES_OPTIONS|LOCALDOMAIN|MALLOC_TRACE
    |GLIBC_TUNABLES|HOME|XDG_\w+|USERPROFILE|TMPDIR|TMP|TEMP|EDITOR|VISUAL|FCEDIT|PAGER|BROWSER|SHELL|MANPAGER
    |MANOPT|MANROFFOPT|LESS\w*|SYSTEMD_\w+|SUDO_\w+|SSH_\w+|GPG_\w+|GNUPGHOME|PYTHON\w+|PYTEST_\w+|COVERAGE_\w+
    |TOX_\w+|NOX_\w+|PIP_\w+|UV_\w+|VIRTUAL_ENV|CONDA_\w+|NODE_\w+|BUN_\w+|DENO_\w+|npm_config_\w+
    |NPM_CONFIG_\w+|YARN_\w+|PNPM_\w+|PERL\w*|RUBY\w+|GEM_\w+|BUNDLE_\w+|IRBRC|PHPRC|PHP_\w+|COMPOSER\w*|LUA_\w+
    |_?JAVA_\w+|JDK_\w+|CLASSPATH|MAVEN_\w+|GRADLE_\w+|ANT_\w+|SBT_OPTS|JAVACMD|RUST\w*|CARGO\w*|GO[A-Z]\w*
    |CGO_\w+|GO_\w+|CC|CXX|CPP|LD|AR|AS|LINKER|C(XX|PP)?FLAGS|LDFLAGS|MAKE\w*|MFLAGS|GNUMAKEFLAGS|COMPILER_PATH
    |GCC_\w+|CPATH|LIBRARY_PATH|DEPENDENCIES_OUTPUT|SUNPRO_DEPENDENCIES|CCACHE_\w+|DISTCC_\w+|CMAKE_\w+
    |CTEST_\w+|PKG_CONFIG\w*|ACLOCAL_PATH|AUTOM4TE|TAR_OPTIONS|TAPE|RSYNC_\w+|GZIP|BZIP2?|XZ_\w+|ZIPOPT|UNZIP
    |CVS_RSH|VIM\w*|EXINIT|GVIMINIT|MYVIMRC|EMACSLOADPATH|NANORC|AWKPATH|AWKLIBPATH|GREP_OPTIONS
    |RIPGREP_CONFIG_PATH|FZF_\w+|BAT_\w+|DELTA_\w+|SQLITE_HISTORY|PSQL\w*|PG[A-Z]+|MYSQL_\w+|LIBMYSQL_PLUGINS
    |DOCKER_\w+|BUILDX_\w+|COMPOSE_\w+|KUBE\w+|HELM_\w+|TF_\w+|AWS_\w+|CLOUDSDK_\w+|AZURE_\w+|BOTO_CONFIG|GH_\w+
    |OPENSSL_\w+|SSLKEYLOGFILE|SSL_CERT_\w+|CURL_\w+|WGETRC|SYSTEM_WGETRC|(https?|HTTPS?|all|ALL|no|NO|ftp
    |FTP)_(proxy|PROXY)|ANSIBLE_\w+|GTK_\w+|QT_\w+|GIO_\w+|GST_\w+|HISTFILE|INPUTRC|GIT_\w+
    |command_not_found_handle)$
  `);

/** Variables naming code that every program, shell or interpreter runs first. */
const PRELOADS =
  /^(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PYTHONSTARTUP|PERL5OPT|RUBYOPT|NODE_OPTIONS|GCONV_PATH|JAVA_TOOL_OPTIONS)$/;
/** Directories in which any user may put files. */
const ANYBODYS = /(^|[\s:=@,"'(])\/(tmp|var\/tmp|dev\/shm)\//;
/** A library in a directory of the user or project, not of the system. */
const OWN_LIBRARY = /(^|[\s:])(\.{1,2}\/|~\/|\/home\/|\/root\/|\/Users\/)[^\s:]*\.(so|dylib)\b/;

/** Variables that the shell expands at each prompt. */
const PROMPTS = /^(PS[0-3]|R?PROMPT\d?|RPS[12]|SPROMPT)$/;

/** `GIT_TRACE=1` prints to the terminal; a path or a descriptor would be written to. */
const SWITCHED = /^GIT_TRACE(?!_REDACT$)\w*$/;
/** If this is off, git prints the tokens and passwords that it sends. */
const REDACTS = 'GIT_TRACE_REDACT';

/** Shell variables whose assigned text is evaluated, as after `declare -i`. */
const INTEGERS = /^(S?RANDOM|SECONDS|LINENO|OPTIND|HISTCMD)$/;

/**
 * Returns the verdict on assigning to a variable. `exported`: programs see it, so an unlisted name is unknown, unless
 * only the command itself uses it.
 */
export function judgeAssignment(machine: Machine, name: string, value: string, exported: boolean): StaticVerdict {
  const target = machine.scope.references.get(name);
  if (target !== undefined)
    return worse(judgeAssignment(machine, target, value, exported), unknown(`sets ${target} through another name`));
  if ((machine.scope.integers.has(name) || INTEGERS.test(name)) && !isNumeric(machine, value))
    return unknown('evaluates unknown text as arithmetic', { unresolved: true });
  const { dialect } = machine.scope;
  if (dialect !== undefined && decidesThere(dialect, name)) return unknown(`sets ${name}, which decides what runs`);
  const known = judgeByValue(name, value);
  if (known) return known;
  if (DECIDES.test(name) || hasUnknown(name))
    return unknown(`sets ${hasUnknown(name) ? 'a variable' : name}, which decides what runs`);
  if (!(exported || machine.scope.exporting) || isUsed(machine, name)) return harmless();
  return unknown(`variable ${name.slice(0, 40)} is not known`);
}

/** Returns the verdict on a variable whose value alone decides; undefined for others. */
function judgeByValue(name: string, value: string): StaticVerdict | undefined {
  if (HARMLESS.test(name)) return harmless();
  if (PRELOADS.test(name) && (ANYBODYS.test(value) || OWN_LIBRARY.test(value)))
    return destructive('foreign code first', `sets ${name}, so that code from a public directory runs first`);
  // A directory of programs (`/tmp/venv/bin`) below /tmp is the user's own; /tmp itself is open to every user.
  if (name === 'PATH' && /^"?\/(tmp|var\/tmp|dev\/shm)(\/(?!bin\b)[\w.-]+)*(:|$)/.test(value))
    return destructive('foreign code first', 'runs programs from a public directory');
  if (PROMPTS.test(name))
    return /[`]|\$[\w({]/.test(value) || hasUnknown(value)
      ? unknown(`sets ${name}, which runs code at each prompt`)
      : harmless();
  if (name === REDACTS)
    return /^(1|true)$/.test(value) ? harmless() : unknown(`sets ${REDACTS}, so that git may show a credential`);
  const switches = SWITCHED.test(name) && /^([012]|true|false)?$/.test(value);
  const pages = name === 'LESS' && /^-?[a-zA-Z]*$/.test(value) && !/[oOk]/.test(value);
  return switches || pages ? harmless() : undefined;
}

/** Does the command as typed use this variable? */
function isUsed({ source }: Machine, name: string): boolean {
  return [`$${name}`, `\${${name}`, `printenv ${name}`].some((use) => source.includes(use));
}

/** Variables that only add to what is found or loaded: unsetting them removes something. */
const ONLY_ADDS = pattern(String.raw`
    ^(LD_(PRELOAD|LIBRARY_PATH|AUDIT)|PYTHON(PATH|HOME|STARTUP|BREAKPOINT)|NODE_(OPTIONS|PATH)|PERL5(LIB|OPT)
    |RUBY(LIB|OPT)|BASH_ENV|ENV|CDPATH|PROMPT_COMMAND|GIT_(DIR|WORK_TREE|INDEX_FILE|PAGER|EDITOR|EXTERNAL_DIFF
    |SSH(_COMMAND)?|TRACE\w*)|PAGER|EDITOR|VISUAL|BROWSER|VIRTUAL_ENV|CONDA_\w+|MAKEFLAGS|(C|CXX|LD|CPP)FLAGS
    |(https?|HTTPS?|all|ALL|ftp|FTP)_(proxy|PROXY)|JAVA_TOOL_OPTIONS|CLASSPATH|RUSTFLAGS|GOFLAGS|SSH_\w+
    |TAR_OPTIONS|HISTFILE|PYTEST_ADDOPTS)$
  `);

/** Returns the verdict on unsetting a variable: the system then decides what applies. */
export function judgeUnset(name: string): StaticVerdict {
  return hasUnknown(name) || (DECIDES.test(name) && !ONLY_ADDS.test(name))
    ? unknown(`unsets ${hasUnknown(name) ? 'a variable' : name}, which decides what runs`)
    : harmless();
}

/** A function with the name of a known program would run instead of it, in this shell and later. */
export function judgeDefinition(name: string): StaticVerdict {
  return name === 'command_not_found_handle' || recordOf(name) ? unknown(`gives ${name} another meaning`) : harmless();
}
