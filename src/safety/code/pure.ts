import type { Skeleton } from './skeleton.ts';

function set(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}

/** Calls and keywords before a bracket that compute, read or print, by language. */
const PYTHON_CALLS = set(`
  if elif while for in not and or is return print assert del lambda yield else with as import
  len str int float bool list dict set tuple frozenset bytes bytearray range enumerate zip map filter sorted reversed sum
  min max abs round any all ord chr hex oct bin repr ascii format type isinstance issubclass callable id hash iter next
  slice divmod pow complex dir vars input open read readline readlines
  get keys values items append extend insert pop copy index count join split rsplit splitlines strip lstrip rstrip lower
  upper title capitalize startswith endswith find rfind replace zfill ljust rjust center encode decode isdigit isalpha
  most_common add union intersection difference sort update setdefault
  load loads dumps safe_load load_all safe_load_all search match findall finditer fullmatch group groups groupdict sub
  Counter defaultdict OrderedDict namedtuple deque Decimal Fraction datetime date timedelta now today utcnow strftime
  strptime isoformat timestamp fromtimestamp time monotonic perf_counter
  sqrt floor ceil log log2 log10 exp sin cos tan pi gcd factorial comb mean median stdev randint choice random uniform
  getcwd listdir getenv cpu_count getpid uname stat getsize exists isfile isdir basename dirname abspath realpath join
  splitext expanduser Path glob rglob iglob is_file is_dir read_text read_bytes iterdir resolve walk scandir which
  md5 sha1 sha256 sha512 blake2b hexdigest digest b64encode b64decode urlparse parse_qs quote unquote quote_plus uuid4
  exit version python_version system machine node platform release processor architecture get_paths getsitepackages
  find_spec pprint pformat reader DictReader is_available device_count get_device_name getdefaultencoding getsizeof
  token_hex token_urlsafe gethostname
`);
const NODE_CALLS = set(`
  if while for switch return catch function of in await typeof
  log error info table dir require import stringify parse String Number Boolean Array Object BigInt Symbol Date Map Set RegExp
  parseInt parseFloat isNaN keys values entries fromEntries from isArray map filter reduce forEach find findIndex some every
  includes indexOf slice concat join split sort reverse flat flatMap at push length trim padStart padEnd toUpperCase toLowerCase
  startsWith endsWith replace replaceAll match matchAll test toString toFixed toISOString toLocaleString getTime now charCodeAt
  readFileSync readdirSync existsSync statSync resolve basename dirname extname relative cwd memoryUsage uptime hrtime
  hostname platform cpus totalmem freemem arch release type homedir tmpdir userInfo networkInterfaces
  randomUUID randomBytes createHash update digest floor round ceil max min abs sqrt pow random inspect encodeURIComponent
  decodeURIComponent URL has get set add
`);
const PERL_WORDS = set(`
  print printf say if unless else elsif and or not eq ne lt gt le ge cmp x my our foreach for while last next length uc lc ucfirst
  lcfirst join split map grep sort reverse keys values scalar defined exists push pop shift sprintf substr index rindex abs int
  sqrt chomp chop localtime gmtime time sum max min first uniq use strict warnings List Util POSIX JSON PP Data Dumper BEGIN END
  V STDIN STDOUT STDERR ENV INC ARGV eof qw q qq sin cos exp log hex oct ord chr undef __FILE__ __LINE__ floor ceil
`);
const RUBY_WORDS = set(`
  puts print p pp if unless else elsif end do while until and or not in then true false nil each each_with_index map select
  reject reduce inject sum min max sort sort_by uniq size length count join split strip chomp upcase downcase capitalize
  reverse to_s to_i to_f to_a to_h to_sym keys values first last include start_with end_with gsub sub match scan format
  require json yaml date time set now today year month day strftime parse generate pretty_generate read readlines exist
  basename dirname extname expand_path pwd glob entries each_line gets lines zip flatten compact group_by tally times upto
  inspect class methods ancestors version x v k i n s e a l f h
`);
/** Modules whose import has no effect of its own. */
const PYTHON_MODULES =
  /^(sys|os|json|re|math|cmath|platform|datetime|time|collections|itertools|functools|operator|string|random|statistics|decimal|fractions|pathlib|glob|csv|hashlib|base64|binascii|uuid|secrets|textwrap|pprint|struct|io|typing|types|enum|dataclasses|site|sysconfig|importlib(\.(metadata|util))?|urllib(\.parse)?|shutil|socket|ssl|sqlite3|zlib|configparser|tomllib|xml(\.\w+)*|html|unicodedata|locale|calendar|zoneinfo|inspect|keyword|ast|tokenize|argparse|logging|yaml|toml|numpy|pandas|scipy|sklearn|matplotlib|torch|tensorflow|transformers|jax|cv2|PIL|requests|httpx|aiohttp|django|flask|fastapi|pydantic|sqlalchemy|pytest|setuptools|pip|wheel|attr|click|rich|tqdm|jinja2|cryptography|boto3|psycopg2|pymongo|redis|celery|lxml|bs4|networkx|sympy)$/;
const RUBY_MODULES = /^(json|yaml|date|time|set|pp|digest|securerandom|csv|uri|bigdecimal|ostruct|benchmark)$/;
const NODE_MODULES =
  /^((node:)?(fs|path|os|url|util|crypto|zlib|buffer|process|assert|querystring|events|punycode|v8|perf_hooks)|\.{0,2}\/?[\w./@-]*\.json)$/;
/** Names that are no call here but may be handed to one (`map(os.remove, files)`), or reach past what can be read. */
const SUSPECT =
  /\b(remove|unlink\w*|rmtree|rmdir\w*|rm|rmSync|system|popen|Popen|exec\w*|eval|spawn\w*|fork|kill\w*|rename\w*|truncate\w*|write\w*|chmod|chown|move|symlink|link|mkdir\w*|makedirs|subprocess|child_process|ctypes|copyfile\w*|copy2|copytree|posix_\w+|pidfd_\w+|sendfile|__\w*(import|builtins|dict|class|subclasses|globals|getattribute)\w*__|getattr|setattr|delattr|globals|locals|compile|binding|constructor|prototype|Function|Proxy|Reflect|send|public_send|delete|drop\w*|destroy\w*|terminate\w*|setTimeout|fetch|urlopen|connect)\b/;

/** Does this code only compute, read and print? Every call in it must be on a list; anything else makes it unknown. */
export function isPure(program: string, source: string, read: Skeleton): boolean {
  if (source.length > 4000 || /[\uE000-\uE007`]/.test(read.code)) return false;
  if (program === 'perl' || program === 'ruby') return pureWords(program, source, read);
  if (program !== 'python' && program !== 'node') return false;
  const calls = program === 'python' ? PYTHON_CALLS : NODE_CALLS;
  const inner = read.strings.flatMap((text) => [...text.matchAll(/\{([^{}]*)\}/g)].map((found) => found[1] ?? ''));
  const texts = [read.code, ...inner];
  if (texts.some((text) => SUSPECT.test(text) || !callsOnly(text, calls))) return false;
  return program === 'python' ? purePython(read) : pureNode(read);
}

function callsOnly(code: string, calls: ReadonlySet<string>): boolean {
  // A listed name that is given another meaning here says nothing any more.
  for (const [, name = ''] of code.matchAll(/\b([A-Za-z_]\w*)\s*=(?![=>])|\bas\s+(\w+)/g))
    if (calls.has(name)) return false;
  for (const [, name = ''] of code.matchAll(/\bas\s+(\w+)/g)) if (calls.has(name)) return false;
  if (/[\])"]\s*\(/.test(code.replace(/\b(?:if|while|for)\s*\([^()]*\)\s*\(/g, ''))) return false;
  for (const [, name = ''] of code.matchAll(/([A-Za-z_$][\w$]*)\s*\??\.?\(/g)) if (!calls.has(name)) return false;
  return true;
}

function purePython({ code, strings }: Skeleton): boolean {
  for (const [, names = ''] of code.matchAll(/(?:^|[;\n:])\s*import\s+([^;\n]+)/g)) {
    for (const name of names.split(',')) if (!PYTHON_MODULES.test(name.trim().split(/\s/)[0] ?? '')) return false;
  }
  for (const [, name = ''] of code.matchAll(/\bfrom\s+([\w.]+)\s+import\b/g))
    if (!PYTHON_MODULES.test(name)) return false;
  if (/(^|\n)\s*(@|class\b|def\b)|\.\s*open\s*\(|\bfrom\b[^;\n]*\b(as|\*)/.test(code)) return false;
  // The same name means another thing elsewhere: a text's `replace`, a file's; a list's `copy`, a file's; `pickle` loads code.
  if (/\bPath\b[\s\S]*\.\s*replace\b|\b(?!json|tomllib|toml)\w+\s*\.\s*loads?\s*\(|\bload_all\s*\(/.test(code))
    return false;
  if (
    /\bshutil\b(?!\s*\.\s*(which|disk_usage|get_terminal_size)\b|\s*(?:[;,\n]|$))/.test(code) ||
    /\bfrom\s+(shutil|os)\b/.test(code)
  )
    return false;
  for (const [, args = ''] of code.matchAll(/\bopen\s*\(([^()]*)\)/g)) {
    const mode = /,\s*(?:mode\s*=\s*)?[rb]?"(\d+)"/.exec(args)?.[1];
    if (
      mode === undefined
        ? /\*|,\s*(?!encoding|errors|newline)/.test(args)
        : !/^r[bt]?$/.test(strings[Number(mode)] ?? '')
    )
      return false;
  }
  return !/\bopen\s*\([^()]*\(/.test(code) || !/\bopen\s*\([^;\n]*,/.test(code);
}

function pureNode({ code, strings }: Skeleton): boolean {
  for (const [, index] of code.matchAll(/\b(?:require|import)\s*\(\s*(?:"(\d+)")?/g)) {
    if (index === undefined || !NODE_MODULES.test(strings[Number(index)] ?? '')) return false;
  }
  for (const [, index] of code.matchAll(/\b(?:from|import)\s*"(\d+)"/g))
    if (!NODE_MODULES.test(strings[Number(index)] ?? '')) return false;
  return (
    !/[\w$]"\d+"/.test(code.replace(/\b(?:from|import|return|case|typeof|in|of)\s*"/g, '')) && !/\]\s*\(/.test(code)
  );
}

/** Languages whose calls need no brackets: every bare word must be known. */
function pureWords(program: 'perl' | 'ruby', source: string, read: Skeleton): boolean {
  if (
    /\(\?\??\{|@\{|#\{[^}]*[^\w}.:@$[\] ][^}]*\}|<<|<\s*\$?\w*\s*>|->\s*[($&]|&\{|&\s*[$\w]|\|\s*["$]|%x|qx/.test(
      source,
    )
  )
    return false;
  if (/\bs([^\w\s])(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1\w*e/.test(read.code)) return false;
  const code = read.code
    .replace(/\b(?:s|tr|y)\/(?:\\.|[^/\n])*\/(?:\\.|[^/\n])*\/\w*/g, ' ')
    .replace(/(^|[\s({,;~!&|])m?\/(?:\\.|[^/\n])+\/[gimsxo]*/g, '$1 ')
    .replace(/[$@%]\w+|\{\w+\}|:\w+|\b\d\w*/g, ' ');
  const loads = [...read.code.matchAll(/\brequire\w*\s*\(?\s*(?:"(\d+)")?/g)];
  if (loads.some(([, index]) => !RUBY_MODULES.test(read.strings[Number(index)] ?? ''))) return false;
  const known = program === 'perl' ? PERL_WORDS : RUBY_WORDS;
  const constant =
    /^(RUBY_\w+|RbConfig|CONFIG|Gem|VERSION|JSON|YAML|Time|Date|ENV|ARGV|File|Dir|Integer|Float|Math|PI)$/;
  return [...code.matchAll(/[A-Za-z_]\w*/g)].every(
    ([word]) => known.has(word) || (program === 'ruby' && constant.test(word)),
  );
}
