import { pattern } from '../../../text/pattern.ts';
import type { Binding, Effect, Expr, Node, NodeOf, Tree } from './scopes.ts';
import { nameOf, type Values } from './values.ts';

/**
 * The modules whose import does nothing, and their names that are known to be harmless. A module that is missing here
 * makes the code unknown, and so does an attribute that its row does not allow.
 */

export type ModuleRow = {
  /** Only these attributes are harmless; absent: all except `denies`. */
  readonly only?: RegExp;
  /** Attributes that write, run, load code or reach further modules. */
  readonly denies?: RegExp;
  /** Methods of its objects that write to their first argument. */
  readonly saves?: RegExp;
  /** Methods of its objects that run something, send something or write to an unknown place. */
  readonly risks?: RegExp;
};

const OPEN: ModuleRow = {};

/** Parts of the standard library in which every name only computes, reads or prints. */
const PURE = `__future__ re math cmath time datetime collections collections.abc itertools functools string random statistics
  decimal fractions csv hashlib hmac base64 binascii uuid secrets textwrap pprint struct enum dataclasses abc contextlib
  traceback warnings array numbers difflib html html.parser html.entities json json.decoder json.encoder tomllib
  unicodedata calendar zoneinfo keyword heapq bisect copy errno stat fnmatch getpass queue colorsys graphlib ipaddress
  platform glob locale select zlib token sched shlex urllib urllib.parse urllib.error xml.sax.saxutils quopri weakref
  concurrent concurrent.futures filecmp`;

const ROWS: Readonly<Record<string, ModuleRow>> = {
  ...Object.fromEntries(PURE.split(/\s+/).map((name) => [name, OPEN])),
  functools: { denies: /^(singledispatch|singledispatchmethod)$/ },
  contextlib: { denies: /^chdir$/ },
  operator: { denies: /^(attrgetter|methodcaller|call)$/ },
  typing: { denies: /^(get_type_hints|ForwardRef|evaluate_forward_ref)$/ },
  types: { only: /^(SimpleNamespace|MappingProxyType|GeneratorType|NoneType|TracebackType|Union\w*)$/ },
  argparse: { denies: /^FileType$/ },
  codecs: { only: /^(encode|decode|BOM\w*|lookup|getreader|getwriter)$/ },
  io: { only: /^(StringIO|BytesIO|TextIOWrapper|BufferedReader|IOBase|SEEK_\w+|UnsupportedOperation)$/ },
  gzip: { only: /^(compress|decompress|BadGzipFile)$/ },
  bz2: { only: /^(compress|decompress)$/ },
  lzma: { only: /^(compress|decompress)$/ },
  zipfile: { only: /^(BadZipFile|ZIP_\w+|is_zipfile|ZipInfo|Path)$/, risks: /^(extract|extractall)$/ },
  tarfile: { only: /^(TarError|ReadError|is_tarfile|TarInfo)$/, risks: /^(extract|extractall)$/ },
  logging: { denies: /^(config|handlers|FileHandler|basicConfig|getLoggerClass|setLoggerClass|root)$/ },
  timeit: { only: /^default_timer$/ },
  ast: {
    only: /^(literal_eval|parse|dump|walk|NodeVisitor|NodeTransformer|unparse|[A-Z]\w*|get_docstring|iter_child_nodes)$/,
  },
  gc: { only: /^(collect|disable|enable|freeze|get_count)$/ },
  resource: { only: /^(getrusage|getrlimit|RUSAGE_\w+|RLIMIT_\w+)$/ },
  threading: { denies: /^(settrace|setprofile\w*|settrace_all_threads)$/ },
  multiprocessing: {
    only: /^(Process|Pool|Queue|cpu_count|Lock|RLock|Event|Value|Array|Manager|Pipe|current_process|freeze_support|set_start_method|TimeoutError)$/,
  },
  asyncio: {
    only: pattern(String.raw`
      ^(run|sleep|gather|wait|wait_for|create_task|Queue|Lock|Event|Semaphore|TimeoutError|CancelledError
      |timeout|as_completed|to_thread|get_event_loop|new_event_loop|get_running_loop|iscoroutinefunction|Task
      |Future|TaskGroup)$
    `),
  },
  signal: {
    only: /^(signal|alarm|pause|getsignal|setitimer|ITIMER_\w+|SIG\w+|Signals|strsignal|default_int_handler)$/,
  },
  socket: { only: /^(gethostname|timeout|error|gaierror|AF_\w+|SOCK_\w+)$/ },
  ssl: { only: /^(OPENSSL_VERSION\w*|create_default_context|CERT_\w+|SSLError|SSLContext|PROTOCOL_\w+|HAS_\w+)$/ },
  http: { only: /^HTTPStatus$/ },
  inspect: { only: /^(signature|getsource|getdoc|isfunction|isclass|ismethod|iscoroutinefunction|Parameter)$/ },
  unittest: { only: /^(TestCase|main|skip|skipIf|skipUnless|expectedFailure|SkipTest)$/ },
  pytest: { only: /^(raises|mark|fixture|approx|skip|param|fail|warns|importorskip|xfail)$/ },
  pickle: { only: /^(dump|dumps|HIGHEST_PROTOCOL|DEFAULT_PROTOCOL|PicklingError|UnpicklingError)$/ },
  importlib: { only: /^(metadata|import_module)$/ },
  'importlib.metadata': { only: /^(version|PackageNotFoundError|distributions|distribution|metadata)$/ },
  sysconfig: { only: /^(get_paths?|get_python_version|get_platform|get_config_vars?)$/ },
  site: { only: /^(getsitepackages|getusersitepackages|USER_SITE|USER_BASE)$/ },
  'xml.etree': OPEN,
  'xml.etree.ElementTree': { saves: /^write$/ },
  'xml.dom.minidom': OPEN,
  sys: {
    only: pattern(String.raw`
      ^(argv|exit|stdin|stdout|stderr|__stdout__|__stderr__|version|version_info|platform|executable|maxsize
      |byteorder|getsizeof|getrecursionlimit|setrecursionlimit|exc_info|float_info|implementation|hexversion
      |prefix|base_prefix|intern|getdefaultencoding|getfilesystemencoding|path|float_repr_style|maxunicode
      |api_version|flags|exception|stdlib_module_names|builtin_module_names)$
    `),
  },
  os: {
    only: pattern(String.raw`
      ^(path|getcwd|listdir|getenv|cpu_count|getpid|getppid|uname|stat|lstat|fstat|walk|scandir|urandom
      |get_terminal_size|access|fspath|readlink|get[ug]id|gete[ug]id|getlogin|isatty|getloadavg
      |sched_getaffinity|strerror|pipe2?|close|read|write|fdopen|devnull|name|sep|linesep|pathsep|curdir|pardir
      |extsep|altsep|error|PathLike|stat_result|[RWXF]_OK|O_\w+|SEEK_\w+|EX_\w+|WNOHANG|W[A-Z]+|getpgid|getpgrp
      |getsid|setsid|setpgid|setpgrp|waitpid|wait|nice|sync|fsync|get_blocking|set_blocking|openpty|dup2?|lseek
      |times|mkdir|makedirs|environ|get_exec_path|_exit|abort|fsencode|fsdecode|statvfs|terminal_size|DirEntry
      |umask|supports_\w+)$
    `),
  },
  'os.path': OPEN,
  posixpath: OPEN,
  shutil: { only: /^(which|disk_usage|get_terminal_size|copyfileobj|Error|SameFileError|get_archive_formats)$/ },
  subprocess: {
    only: /^(PIPE|STDOUT|DEVNULL|TimeoutExpired|CalledProcessError|SubprocessError|CompletedProcess|list2cmdline)$/,
  },
  pathlib: { only: /^(Path|PurePath|PosixPath|PurePosixPath)$/ },
  tempfile: {
    only: /^(mkdtemp|mktemp|mkstemp|NamedTemporaryFile|TemporaryDirectory|TemporaryFile|SpooledTemporaryFile|gettempdir|gettempprefix)$/,
  },
  requests: { only: /^(exceptions|RequestException|ConnectionError|Timeout|HTTPError|__version__|codes|Response)$/ },
  'urllib.request': { only: /^(Request|HTTPError|URLError)$/ },
  numpy: {
    denies:
      /^(load|save\w*|memmap|DataSource|f2py|testing|distutils|ctypeslib|lib|fromregex|core|_core|compat|rec|loadtxt|genfromtxt|fromfile|test)$/,
    saves: /^(tofile|dump)$/,
  },
  pandas: {
    denies:
      /^(read_(?!csv|json|excel|parquet|table|fwf|feather|orc)\w+|eval|ExcelWriter|HDFStore|io|core|util|compat|testing|tests|plotting|api)$/,
    saves: /^to_(csv|excel|parquet|feather|hdf|stata|orc|pickle|json|html|latex|markdown|xml)$/,
    risks: /^(eval|query|to_sql|to_gbq|to_clipboard|pipe_to)$/,
  },
  scipy: { denies: /^(io|test|LowLevelCallable|datasets|misc)$/ },
  ...Object.fromEntries(
    'stats optimize signal special spatial spatial.distance sparse linalg ndimage interpolate fft integrate cluster cluster.hierarchy constants'
      .split(' ')
      .map((name) => [`scipy.${name}`, { denies: /^(save_npz|load_npz|test)$/ }]),
  ),
  sklearn: { only: /^__version__$/ },
  ...Object.fromEntries(
    'linear_model metrics pipeline preprocessing model_selection ensemble tree svm naive_bayes neighbors cluster decomposition feature_extraction feature_extraction.text feature_selection impute compose metrics.pairwise neural_network dummy calibration'
      .split(' ')
      .map((name) => [`sklearn.${name}`, { only: /^[A-Za-z]\w*$/, denies: /^(fetch_\w*|sys|os|joblib)$/ }]),
  ),
  matplotlib: { only: /^(use|rcParams|__version__|colors|cm|get_backend)$/ },
  'matplotlib.pyplot': { denies: /^(matplotlib|sys|os|switch_backend)$/, saves: /^(savefig|imsave)$/ },
  PIL: {
    only: /^(Image|ImageDraw|ImageFont|ImageFilter|ImageOps|ImageEnhance|ImageColor|__version__|UnidentifiedImageError)$/,
  },
  'PIL.Image': { denies: /^(core|sys|os|logger)$/, saves: /^save$/, risks: /^show$/ },
  'PIL.ImageDraw': OPEN,
  'PIL.ImageFont': OPEN,
  yaml: {
    only: /^(safe_load|safe_load_all|safe_dump|safe_dump_all|dump|dump_all|YAMLError|SafeLoader|SafeDumper|__version__)$/,
  },
  bs4: { only: /^(BeautifulSoup|Tag|NavigableString|Comment|__version__)$/ },
  tqdm: { only: /^(tqdm|trange|__version__)$/ },
  networkx: { denies: /^(write_\w+|read_gpickle|nx_agraph|nx_pydot|drawing|readwrite|utils)$/ },
  fasttext: {
    only: /^(__version__|__file__|load_model|train_supervised|train_unsupervised|tokenize)$/,
    saves: /^(save_model|save_vectors)$/,
    risks: /^(quantize|set_matrices)$/,
  },
  cryptography: { only: /^(__version__|x509)$/ },
  'cryptography.x509': { denies: /^_/ },
  'cryptography.x509.oid': { denies: /^_/ },
  'cryptography.hazmat.backends': { only: /^default_backend$/ },
  'cryptography.hazmat.primitives': { only: /^(hashes|serialization)$/ },
  'cryptography.hazmat.primitives.hashes': { denies: /^_/ },
  'cryptography.hazmat.primitives.serialization': { denies: /^_/ },
  torch: {
    only: /^(__version__|cuda|version|tensor|zeros|ones|rand|randn|arange|eye|no_grad|manual_seed|float\d*|int\d*|long|bool|Tensor|softmax|argmax|cat|stack|device)$/,
  },
  transformers: { only: /^__version__$/ },
  tensorflow: { only: /^__version__$/ },
  ...Object.fromEntries(
    'datasets tokenizers pyarrow cv2 flask django fastapi pydantic sqlalchemy jinja2 click rich httpx aiohttp boto3 jax keras statsmodels polars xgboost lightgbm nltk spacy sympy cython setuptools pip wheel attr httplib2 toml lxml psutil pkg_resources packaging six'
      .split(' ')
      .map((name) => [name, { only: /^(__version__|VERSION)$/ }]),
  ),
};

const TABLE: ReadonlyMap<string, ModuleRow> = new Map(Object.entries(ROWS));

/** Returns the row of a module; undefined for an unknown module. */
export function moduleRow(name: string): ModuleRow | undefined {
  return TABLE.get(name);
}

/** Returns the longest listed module with which a dotted name begins, and the rest of the name. */
export function splitName(name: string): { readonly module: string; readonly rest: readonly string[] } | undefined {
  const parts = name.split('.');
  for (let length = Math.min(parts.length, 4); length > 0; length--) {
    const module = parts.slice(0, length).join('.');
    if (TABLE.has(module)) return { module, rest: parts.slice(length) };
  }
  return undefined;
}

/** Attributes through which one module gives access to another: `glob.os`, `tempfile._os`. */
export const MODULE_ATTRIBUTE = pattern(String.raw`
    ^_?(os|sys|posix|nt|io|shutil|subprocess|builtins|importlib|ctypes|pty|socket|socketserver|runpy|codeop
    |pickle|marshal|imp|pathlib|tempfile|meta_path|path_hooks|path_importer_cache|popen2|webbrowser|pydoc|pdb
    |bdb)$
  `);

/** Further modules reachable as attributes of standard modules: `timeit.gc`, `statistics.operator`. */
export const INNER_MODULE = pattern(String.raw`
    ^(gc|inspect|operator|codecs|typing|types|threading|tokenize|linecache|fileinput|asyncio|multiprocessing
    |http|email|ssl|signal|selectors|logging|code|glob|zipfile|tarfile|ast|sysconfig|warnings|weakref)$
  `);

/** Attributes that lead from any object to its class, its module, its globals or a frame. */
export const REFLECTION = pattern(String.raw`
    ^(__(?!name__|doc__|version__|file__|init__|str__|repr__|len__|post_init__|all__|enter__|exit__|next__
    |iter__|new__|call__|eq__|hash__|lt__|qualname__|cause__|context__|traceback__|stdout__|stderr__|members__
    |contains__|setitem__|getitem__|add__)\w*__|f_(globals|locals|builtins|back|code|trace)|tb_(frame|next)|(gi
    |cr|ag)_(frame|code|yieldfrom|await)|func_globals)$
  `);

/** Builtins that compute, read or print, with any arguments. */
export const BUILTINS = new Set(
  `len str int float bool list dict set tuple frozenset bytes bytearray range enumerate zip map filter sorted reversed sum
   min max abs round any all ord chr hex oct bin repr ascii format type isinstance issubclass callable id hash iter next
   slice divmod pow complex dir print super property staticmethod classmethod object memoryview hasattr exit quit input
   help aiter anext True False None Ellipsis NotImplemented __name__ __file__ __doc__ __annotations__ __debug__ copyright
   credits license _ WindowsError EnvironmentError IOError`.split(/\s+/),
);
/** Matches the names of exceptions. */
export const EXCEPTION = /^(?=[A-Z])\w*(Error|Exception|Warning|Exit|Interrupt|Iteration|Group)$/;

/** Returns whether an expression is an open file, a buffer or a stream. */
export function isHandle(values: Values, node: Expr, depth = 0): boolean {
  if (depth > 3) return false;
  if (node.nodeType === 'Attribute') return /^(stdout|stderr|stdin|buffer|wfile)$/.test(node.attr);
  if (node.nodeType === 'Call')
    return /^(builtins\.open|io\.(StringIO|BytesIO))$/.test(values.references.exactly(node.func) ?? '');
  const bindings = node.nodeType === 'Name' ? (values.references.bindings(node) ?? []) : [];
  return (
    bindings.length > 0 &&
    bindings.every(
      (binding) =>
        (binding.kind === 'value' || binding.kind === 'entered') && isHandle(values, binding.value, depth + 1),
    )
  );
}

/** Returns whether a call such as `self.save()` uses a method of this source, whose body is judged anyway. */
export function isOwnMethod(values: Values, node: NodeOf<'Attribute'>): boolean {
  const owner = classOf(values, node.value);
  return (
    owner?.body.some(
      (part) => /^(Async)?FunctionDef$/.test(part.nodeType) && 'name' in part && part.name === node.attr,
    ) === true
  );
}

function classOf(values: Values, node: Expr): NodeOf<'ClassDef'> | undefined {
  if (node.nodeType === 'Call' && node.func.nodeType === 'Name') {
    const only = onlyBinding(values, node.func);
    return only?.kind === 'class' && only.node.decorator_list.length + only.node.keywords.length === 0
      ? only.node
      : undefined;
  }
  const only = onlyBinding(values, node);
  if (only?.kind === 'value' && only.value.nodeType === 'Call') return classOf(values, only.value);
  return only?.kind === 'parameter' ? classOfSelf(values, only) : undefined;
}

function onlyBinding({ references }: Values, node: Expr): Binding | undefined {
  const bindings = node.nodeType === 'Name' ? references.bindings(node) : undefined;
  return bindings?.length === 1 ? bindings[0] : undefined;
}

/** Returns the class of a method’s first parameter. */
function classOfSelf(values: Values, only: Extract<Binding, { kind: 'parameter' }>): NodeOf<'ClassDef'> | undefined {
  if (only.of.args.args[0]?.arg !== only.name) return undefined;
  const owner = values.tree.parents.get(only.of);
  if (owner?.nodeType !== 'ClassDef' || only.of.nodeType === 'Lambda') return undefined;
  return only.of.decorator_list.some((part) => nameOf(part) === 'staticmethod') ? undefined : owner;
}

/** Environment variables that can’t make a program run, load or write anything else. */
const HARMLESS_VARIABLE = pattern(String.raw`
    ^(LANG|LC_\w+|TZ|TERM|NO_COLOR|COLUMNS|LINES|\w+_NUM_THREADS|CUDA_VISIBLE_DEVICES|TOKENIZERS_PARALLELISM
    |TF_CPP_MIN_LOG_LEVEL|PYTHONHASHSEED|PYTHONUNBUFFERED|HF_HUB_OFFLINE|TRANSFORMERS_OFFLINE|DEBUG|LOG_LEVEL)$
  `);

/** Judges a use of `os.environ`: its variables decide what later programs load. */
export function judgeEnvironment(judge: Judging, node: Node, method: string | undefined): void {
  if (method !== undefined) {
    if (!/^(get|keys)$/.test(method)) judge.unknown(node, 'changes its environment');
    return;
  }
  const parent = judge.tree.parents.get(node);
  const reads =
    parent?.nodeType === 'Subscript' ||
    parent?.nodeType === 'Compare' ||
    parent?.nodeType === 'For' ||
    (parent?.nodeType === 'Call' && /^len$/.test(nameOf(parent.func) ?? ''));
  if (!reads) judge.unknown(node, 'passes its environment on');
}

/** Judges a use of `sys.path`, which decides what an import loads. */
export function judgeModulePath(judge: Judging, node: Node, method: string | undefined): void {
  const parent = judge.tree.parents.get(node);
  const reads =
    parent?.nodeType === 'For' ||
    parent?.nodeType === 'Compare' ||
    parent?.nodeType === 'Comprehension' ||
    parent?.nodeType === 'FormattedValue' ||
    (parent?.nodeType === 'Subscript' && parent.ctx.nodeType === 'Load') ||
    (parent?.nodeType === 'Call' && /^(print|len|join|str|list|pprint)$/.test(nameOf(parent.func) ?? ''));
  if (method !== undefined || !reads) judge.unknown(node, 'changes where modules are found');
}

/** Judges an assignment to `os.environ[name]` or `module.table[key]`. */
export function judgeStore(judge: Judging, node: NodeOf<'Subscript'>): void {
  const name = judge.values.references.of(node.value)[0] ?? '';
  if (name.startsWith('os.environ')) {
    if (!HARMLESS_VARIABLE.test(judge.values.text(node.slice) ?? '')) judge.unknown(node, 'changes its environment');
  } else if (name.startsWith('matplotlib.') && /backend/.test(judge.values.text(node.slice) ?? 'backend'))
    judge.unknown(node, 'loads an unknown backend');
  else if (!/^(builtins\.|matplotlib\.|sys\.argv)/.test(name)) judge.unknown(node, `changes ${name}`);
}

/** Judges `help('module')`, which imports the module and so runs its code. */
export function judgeHelp(judge: Judging, { args: [subject] }: NodeOf<'Call'>): void {
  if (subject && judge.values.text(subject) !== undefined) judge.unknown(subject, 'imports the module it describes');
}

/** Modules that Python's own library and the listed packages import themselves. */
export const STANDARD_MODULES: ReadonlySet<string> = new Set(
  `abc argparse ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cmath cmd code codecs codeop
   collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg csv ctypes curses
   dataclasses datetime decimal difflib dis doctest email encodings enum errno faulthandler fileinput fnmatch fractions
   ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib imp
   importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox marshal math mimetypes
   mmap modulefinder multiprocessing netrc ntpath numbers opcode operator optparse os pathlib pdb pickle pickletools
   pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pydoc pyexpat queue quopri
   random re readline reprlib resource runpy sched secrets select selectors shelve shlex shutil signal site sitecustomize
   smtplib socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct
   subprocess symtable sys sysconfig tarfile telnetlib tempfile termios textwrap this threading time timeit token tokenize
   tomllib trace traceback tracemalloc tty types typing unicodedata unittest urllib usercustomize uuid venv warnings
   wave weakref webbrowser xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
   six dateutil pytz tzdata urllib3 idna certifi chardet charset_normalizer soupsieve typing_extensions packaging joblib
   threadpoolctl cycler kiwisolver pyparsing numpy pandas scipy requests PIL lxml bs4 yaml tqdm regex filelock pluggy
   iniconfig attr attrs cffi pycparser`.split(/\s+/),
);

/** The interface of the tree walk for the judges of single calls. */
export type Judging = {
  readonly tree: Tree;
  readonly values: Values;
  /** Paths that the code itself empties or makes: deleting them again is no loss. */
  readonly made: ReadonlySet<string>;
  /** First names of all modules that are imported. */
  readonly importedNames: ReadonlySet<string>;
  /** Records an effect of the code at `node`. */
  note(node: Node, effect: Effect): void;
  unknown(node: Node, reason: string, unresolved?: boolean): void;
  /** Returns the paths an expression may name, as the gate’s other judges write them: a mark for an unknown part. */
  paths(node: Node | undefined): readonly string[];
  /** Returns one word of a command; an unknown number in it is a placeholder. */
  word(node: Node): string;
  write(node: Node, target: Node | undefined, how?: 'write' | 'append'): void;
  /** Notes an effect equal to a call of this program. */
  program(node: Node, words: readonly string[]): void;
  /** Judges code in a string. */
  nested(node: Node, text: string): void;
  /** Notes a module that is imported at `node`. */
  imported(node: Node, name: string): void;
};

/** Names of functions that delete, end or run something, and of modules that hold them. */
export const DANGEROUS_NAME =
  /^(remove|unlink|rmtree|rmdir|removedirs|system|popen|kill|truncate|os|shutil|subprocess|check_output|call|Popen)$/;

/** Judges reflection: searches strings for names of functions that may be called. */
export function reflects(judge: Judging, call: NodeOf<'Call'>): void {
  const dangerous = judge.tree.nodes.some(
    (node) => node.nodeType === 'Constant' && typeof node.value === 'string' && DANGEROUS_NAME.test(node.value),
  );
  const reason = 'python: calls something that deletes or runs commands by a name in a string';
  if (dangerous) judge.note(call, { kind: 'destructive', rule: 'python code', reason });
  else judge.unknown(call, `calls ${nameOf(call.func) ?? 'something'}`, true);
}

/**
 * Notes a function or module (`what`, in words) that is passed on as a value and can’t be followed. Something found by
 * a name in a string is destructive if `called`, its own name, or a method that the code calls is destructive.
 */
export function handsRound(judge: Judging, node: Node, what: string, called = ''): void {
  const destroys =
    node.nodeType === 'Call' &&
    (DANGEROUS_NAME.test(called) ||
      judge.tree.nodes.some(
        (other) =>
          other.nodeType === 'Call' && other.func.nodeType === 'Attribute' && DANGEROUS_NAME.test(other.func.attr),
      ));
  const reason = 'python: passes on a function that deletes or runs commands';
  if (destroys) judge.note(node, { kind: 'destructive', rule: 'python code', reason });
  else judge.unknown(node, `hands round ${what}`, true);
}

/** Notes a module that is passed on as a value. `whole`: no other module can reach the names of this source. */
export function handsRoundModule(judge: Judging, node: Node, module: string, whole: boolean): void {
  const parent = judge.tree.parents.get(node);
  const harmless =
    node.nodeType === 'ImportFrom' ||
    parent?.nodeType === 'Expr' ||
    parent?.nodeType === 'Compare' ||
    (parent?.nodeType === 'Call' &&
      parent.args[0] === node &&
      ONLY_LOOKS.test(judge.values.references.exactly(parent.func) ?? '')) ||
    (whole && node.nodeType === 'Call' && isNamed(judge, parent));
  if (!harmless) handsRound(judge, node, `the module ${module}`);
}

const ONLY_LOOKS = /^builtins\.(getattr|hasattr|dir|print|help|repr|str|id)$/;

/** Returns whether a module is only assigned to a name (`m = __import__('os')`), whose uses are then followed. */
function isNamed(judge: Judging, parent: Node | undefined): boolean {
  const [target, ...others] = parent?.nodeType === 'Assign' ? parent.targets : [];
  const scope = target?.nodeType === 'Name' ? judge.values.scopes.of.get(target) : undefined;
  return scope !== undefined && scope.kind !== 'class' && others.length === 0;
}
