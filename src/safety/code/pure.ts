import { isCredential } from '../../knowledge/credential-files.ts';
import { pattern } from '../../text/pattern.ts';

/** Source code with its strings replaced, so that a call in a string is not taken for a call. */
export type Skeleton = {
  /** Comments dropped; each string is `"n"`, n its index in `strings`. Backtick and `qx` strings are `` `n` ``. */
  readonly code: string;
  readonly strings: readonly string[];
};

export type Comments = 'hash' | 'slash' | 'both' | 'dash' | 'semicolon';

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '' };

/** How a comment begins, in each style; what stands before it may make it something else. */
const BEGINS: Readonly<Record<Comments, readonly ('#' | '//' | '/*' | '--' | ';')[]>> = {
  hash: ['#'],
  slash: ['//', '/*'],
  both: ['#', '//', '/*'],
  dash: ['--'],
  semicolon: [';'],
};
/** The end of each kind of comment, and the text that replaces it. */
const COMMENT_ENDS = {
  '#': { end: '\n', left: '\n', not: /[$&\\]/ },
  ';': { end: '\n', left: '\n', not: undefined },
  '//': { end: '\n', left: '\n', not: /:/ },
  '/*': { end: '*/', left: '', not: undefined },
  '--': { end: '\n', left: '', not: undefined },
} as const;

/** Takes strings and comments out of `source`. Linear; unterminated strings end with the text. */
export function skeleton(source: string, comments: Comments, backtickRuns: boolean): Skeleton {
  const strings: string[] = [];
  let code = '';
  let i = 0;
  while (i < source.length) {
    const c = source.charAt(i);
    const comment = commentAt(source, i, comments);
    if (comment) {
      i = comment.end;
      code += comment.left;
    } else if (c === '"' || (c === "'" && comments !== 'semicolon') || c === '`') {
      const triple = c !== '`' && source.startsWith(c.repeat(3), i) ? c.repeat(3) : c;
      const start = i + triple.length;
      const { text, end } = readString(source, start, triple);
      const mark = c === '`' && backtickRuns ? '`' : '"';
      code += `${mark}${strings.push(text) - 1}${mark}`;
      i = end;
    } else if (backtickRuns && /^(qx|%x)[{(/|!]/.test(source.slice(i, i + 3)) && !/\w/.test(source[i - 1] ?? '')) {
      const close = { '{': '}', '(': ')' }[source[i + 2] ?? ''] ?? source.charAt(i + 2);
      const end = endOf(source, close, i + 3);
      code += `\`${strings.push(source.slice(i + 3, end)) - 1}\``;
      i = end + 1;
    } else {
      code += c;
      i++;
    }
  }
  return { code: foldConcatenations(code, strings), strings };
}

/** The end of a comment that begins at `i`, and what stands in the code for it. */
function commentAt(source: string, i: number, comments: Comments): { end: number; left: string } | undefined {
  for (const begin of BEGINS[comments]) {
    if (!source.startsWith(begin, i)) continue;
    const { end, left, not } = COMMENT_ENDS[begin];
    if (not?.test(source[i - 1] ?? '')) continue;
    const at = endOf(source, end, begin === '/*' ? i + 2 : i);
    return { end: begin === '/*' ? at + 2 : at, left };
  }
  return undefined;
}

function endOf(source: string, text: string, from: number): number {
  const at = source.indexOf(text, from);
  return at < 0 ? source.length : at;
}

function readString(source: string, start: number, close: string): { text: string; end: number } {
  let text = '';
  let i = start;
  while (i < source.length && !source.startsWith(close, i)) {
    if (source[i] === '\\' && i + 1 < source.length) {
      const hex = /^\\x([0-9a-fA-F]{2})/.exec(source.slice(i, i + 4));
      if (hex) {
        text += String.fromCharCode(Number.parseInt(hex[1] ?? '', 16));
        i += 4;
        continue;
      }
      const next = source.charAt(i + 1);
      text += ESCAPES[next] ?? next;
      i += 2;
    } else {
      text += source.charAt(i);
      i++;
    }
  }
  return { text, end: i + close.length };
}

/** `"rem" + "ove"` → one string, as often as it takes (bounded). */
function foldConcatenations(code: string, strings: string[]): string {
  let out = code;
  for (let round = 0; round < 12; round++) {
    const next = out.replace(/"(\d+)"\s*(?:\+|\.(?=\s*"))\s*"(\d+)"/g, (_, a: string, b: string) => {
      return `"${strings.push((strings[Number(a)] ?? '') + (strings[Number(b)] ?? '')) - 1}"`;
    });
    if (next === out) return out;
    out = next;
  }
  return out;
}

/** Words after which a slash begins an expression. */
const BEFORE_EXPRESSION =
  /^(return|typeof|case|in|of|if|unless|while|until|and|or|not|x|split|grep|map|when|then|do|else|elsif|print|puts|void|delete|new|yield|await|first|any|join|push|p)$/;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/**
 * Returns whether the reader found strings where the language has them. A quote within a regular expression, in another
 * form of literal or in a documentation block would put it out of step, so that code passes for text.
 */
function isInStep(program: string, source: string, { code }: Skeleton): boolean {
  if (program === 'node') return expressionsHoldNoQuotes(program, code);
  if (/^=\w/m.test(source) || /[^\s$&\\"'`]#(?!\{)/.test(source.replace(/(["'])(?:\\.|(?!\1)[^\\])*\1/g, '""')))
    return false;
  // In Perl `$a'b` is a name; in Ruby `?"` is a character.
  if (/\w"\d+"/.test(code) || (program === 'ruby' && /%[qQwWiIrsx]?[([{<|!/]|\?["'`]/.test(source))) return false;
  return expressionsHoldNoQuotes(program, code);
}

function expressionsHoldNoQuotes(program: string, code: string): boolean {
  const before: Before = { operand: false, text: false };
  for (let at = 0; at < code.length; ) {
    const end = readPart(program, code, at, before);
    if (end === undefined) return false;
    at = end;
  }
  return true;
}

/** What precedes the part being read: an operand, a text or an expression. */
type Before = { operand: boolean; text: boolean };

/** Returns the end of the next part; undefined where the reader may be out of step. */
function readPart(program: string, code: string, at: number, before: Before): number | undefined {
  const mark = /^["`]\d+["`]/.exec(code.slice(at, at + 12))?.[0];
  if (mark !== undefined) {
    // No language has a text directly behind an expression or another text.
    if (before.text) return undefined;
    before.text = true;
    before.operand = true;
    return at + mark.length;
  }
  const word = /^[$@%&]?\w+/.exec(code.slice(at, at + 100))?.[0];
  if (word !== undefined) {
    const literal = program === 'perl' && /^(m|s|tr|y|q|qq|qw|qr|qx)$/.test(word);
    before.text = false;
    before.operand = literal || !BEFORE_EXPRESSION.test(word);
    return literal ? literalEnd(code, at + word.length, /^(s|tr|y)$/.test(word) ? 2 : 1) : at + word.length;
  }
  return code[at] === '/' && !before.operand ? readExpression(code, at, before) : readSign(code, at, before);
}

function readExpression(code: string, at: number, before: Before): number | undefined {
  const end = closing(code, at + 1, '/');
  const body = end === undefined ? '"' : code.slice(at + 1, end).replace(/\\./g, '');
  if (end === undefined || /["`\n]|\[[^\]]*$/.test(body)) return undefined;
  before.operand = true;
  before.text = true;
  return end + 1;
}

function readSign(code: string, at: number, before: Before): number | undefined {
  const c = code.charAt(at);
  // A closing bracket may end a value or a condition: a slash and a quote behind it are then ambiguous.
  if (
    /[)}]/.test(c) &&
    /^\s*\/[^/\n]*["`]/.test(code.slice(at + 1, at + 200)) &&
    /\b(if|while|for|unless|until)\b|\}\s*\//.test(code)
  )
    return undefined;
  if (!/\s/.test(c)) {
    before.operand = /[)\]}]/.test(c);
    before.text = false;
  }
  return at + 1;
}

/** Returns the end of `q(…)`, `s{…}{…}`, `m|…|`; for a word of that name without a literal, its own end. */
function literalEnd(code: string, from: number, parts: number): number | undefined {
  let at = from;
  while (/[ \t]/.test(code.charAt(at))) at++;
  const opens = code.charAt(at);
  if (opens === '' || /[\s\w,;=)]/.test(opens) || code.startsWith('=>', at)) return from;
  for (let part = 0; part < parts; part++) {
    const end = closing(code, at + 1, CLOSING[opens] ?? opens);
    if (end === undefined || /["`#]/.test(code.slice(at, end))) return undefined;
    at = part + 1 < parts && CLOSING[opens] !== undefined ? code.indexOf(opens, end) : end;
    if (at < 0) return undefined;
  }
  return at + 1;
}

function closing(code: string, from: number, delimiter: string): number | undefined {
  for (let at = from; at < code.length; at++) {
    if (code[at] === '\\') at++;
    else if (code[at] === delimiter) return at;
  }
  return undefined;
}

function set(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}

/** Calls and keywords before a bracket that compute, read or print, by language. */
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
  strftime mktime fmod HiRes Scalar shuffle decode_json encode_json Digest MD5 SHA md5_hex sha1_hex sha256_hex MIME Base64
  encode_base64 decode_base64
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
const RUBY_MODULES = /^(json|yaml|date|time|set|pp|digest|securerandom|csv|uri|bigdecimal|ostruct|benchmark)$/;
const NODE_MODULES =
  /^((node:)?(fs|path|os|url|util|crypto|zlib|buffer|process|assert|querystring|events|punycode|v8|perf_hooks)|\.{0,2}\/?[\w./@-]*\.json)$/;
/** Names that are not called here but may be passed on (`map(os.remove, files)`), or that reach beyond the code. */
const SUSPECT = pattern(String.raw`
    \b(remove|unlink\w*|rmtree|rmdir\w*|rm|rmSync|system|popen|Popen|exec\w*|eval|spawn\w*|fork|kill\w*
    |rename\w*|truncate\w*|write\w*|chmod|chown|move|symlink|link|mkdir\w*|makedirs|subprocess|child_process
    |ctypes|copyfile\w*|copy2|copytree|posix_\w+|pidfd_\w+|sendfile|__\w*(import|builtins|dict|class|subclasses
    |globals|getattribute)\w*__|getattr|setattr|delattr|globals|locals|compile|binding|constructor|prototype
    |Function|Proxy|Reflect|send|public_send|delete|drop\w*|destroy\w*|terminate\w*|setTimeout|fetch|urlopen
    |connect)\b
  `);

/** The whole environment, or a variable of it that may be a secret; its parts can be named in many ways. */
const READS_ENVIRONMENT =
  /\bENV\b(?!\s*[{[]\s*['"]?(HOME|PATH|USER|SHELL|LANG|PWD|TERM)\b)|\benv\b(?!\s*\.\s*(HOME|PATH|USER|SHELL|LANG|PWD|TERM|NODE_ENV|CI|PORT|DEBUG)\b)|\/environ\b/;
/** Modules that every one-liner of Node can use without an import, and which connect or start something. */
const TALKS =
  /\b(https?|http2|net|dgram|dns|tls|cluster|worker_threads|repl|vm|inspector|wasi|trace_events)\s*(\?\.|\.|\[)/;

/** Returns whether this code only computes, reads and prints: every call in it must be on a list. */
export function isPure(named: string, source: string, read: Skeleton): boolean {
  const program = /^(deno|bun)$/.test(named) ? 'node' : named;
  if (source.length > 4000 || /[\uE000-\uE00B`]/.test(source)) return false;
  if (program === 'php') return purePhp(source, read);
  if (!/^(node|perl|ruby)$/.test(program) || !isInStep(program, source, read)) return false;
  if (READS_ENVIRONMENT.test(source)) return false;
  if (program === 'perl' || program === 'ruby') return pureWords(program, source, read);
  const inner = read.strings.flatMap((text) => [...text.matchAll(/\{([^{}]*)\}/g)].map((found) => found[1] ?? ''));
  const texts = [read.code, ...inner];
  if (texts.some((text) => SUSPECT.test(text) || TALKS.test(text) || !callsOnly(text, NODE_CALLS))) return false;
  return pureNode(read);
}

const PHP_WORDS = set(`
  echo print phpversion php_sapi_name php_uname json_encode json_decode date time microtime strlen strtoupper strtolower ucfirst
  trim str_repeat str_pad substr strrev implode explode count array range array_sum abs floor ceil round max min pow
  sqrt intdiv rand md5 sha1 crc32 base64_encode base64_decode bin2hex urlencode urldecode number_format sprintf var_dump
  print_r var_export gettype is_numeric true false null extension_loaded get_loaded_extensions memory_get_usage sys_get_temp_dir
`);

/** PHP without variables, so that no name can stand for another, and only with calls that compute and print. */
function purePhp(source: string, { code }: Skeleton): boolean {
  if (/[$\\`?&]|<</.test(source) || /["\])]\s*\(/.test(code)) return false;
  return [...code.matchAll(/[A-Za-z_]\w*/g)].every(
    ([word]) => PHP_WORDS.has(word) || /^(PHP|M|E|JSON|DIRECTORY)_[A-Z_]+$/.test(word),
  );
}

function callsOnly(code: string, calls: ReadonlySet<string>): boolean {
  // A listed function that the code itself redefines may do anything.
  for (const [, name = ''] of code.matchAll(/\b([A-Za-z_]\w*)\s*=(?![=>])|\bas\s+(\w+)/g))
    if (calls.has(name)) return false;
  for (const [, name = ''] of code.matchAll(/\bas\s+(\w+)/g)) if (calls.has(name)) return false;
  if (/[\])"]\s*\(/.test(code.replace(/\b(?:if|while|for)\s*\([^()]*\)\s*\(/g, ''))) return false;
  for (const [, name = ''] of code.matchAll(/([A-Za-z_$][\w$]*)\s*\??\.?\(/g)) if (!calls.has(name)) return false;
  return true;
}

function pureNode({ code, strings }: Skeleton): boolean {
  // A file whose name is computed may be a credential file.
  if (/\breadFileSync\s*\((?!\s*("\d+"|0)\s*[,)])/.test(code) || strings.some(isCredential)) return false;
  for (const [, index] of code.matchAll(/\b(?:require|import)\s*\(\s*(?:"(\d+)")?/g)) {
    if (index === undefined || !NODE_MODULES.test(strings[Number(index)] ?? '')) return false;
  }
  for (const [, index] of code.matchAll(/\b(?:from|import)\s*"(\d+)"/g))
    if (!NODE_MODULES.test(strings[Number(index)] ?? '')) return false;
  return (
    !/[\w$]"\d+"/.test(code.replace(/\b(?:from|import|return|case|typeof|in|of)\s*"/g, '')) && !/\]\s*\(/.test(code)
  );
}

/** Perl evaluates the brackets of an element, also within strings and expressions: `"$h{unlink $f}"`. */
function interpolatesPlainly(source: string): boolean {
  if (/[$@]\{(?!\^?\w+\})|\$#\{/.test(source)) return false;
  for (const [, bracket, key = ''] of source.matchAll(/(?:[$@]\w+|[\]}])(?:->)?([[{])([^\]}]*)/g)) {
    if (bracket === '{' && /^\s*(-?\w+|'[^']*')\s*$/.test(key)) continue;
    const words = key.replace(/[$@%]#?\w+|'[^']*'|"[\w ]*"/g, ' ').matchAll(/[A-Za-z_]\w*/g);
    if ([...words].some(([word]) => !PERL_WORDS.has(word))) return false;
  }
  return true;
}

/** `"#{x}"`: a name to which the code itself assigns, followed by known words. */
function insertsPlainly(source: string): boolean {
  return [...source.matchAll(/#\{([^}]*)\}/g)].every(([, text = '']) => {
    const [first = '', ...rest] = text.trim().split('.');
    const given = new RegExp(`(?<![\\w.])${first}\\s*=(?!=)|\\|[^|]*\\b${first}\\b[^|]*\\|`);
    const known = /^[@$]?[a-z_]\w*$/.test(first) ? /^[@$]/.test(first) || given.test(source) : /^\d*$/.test(first);
    return (known || RUBY_CONSTANT.test(first)) && rest.every((word) => RUBY_WORDS.has(word));
  });
}

const RUBY_CONSTANT = /^(RUBY_(VERSION|PLATFORM|ENGINE|RELEASE_DATE|PATCHLEVEL))$/;

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
    // An element of a hash, and nothing else in such brackets: `map{unlink}` is a call.
    .replace(/([$@%]\w+|->|[\]}])\s*(\{\w+\})+|[$@%]\w+|(?<!:):[a-z]\w*|\b\d\w*/g, (found) =>
      // `:x` names something in Ruby; in Perl `POSIX::x` calls it.
      program === 'perl' && found.startsWith(':') ? found : ' ',
    );
  if (program === 'perl' ? !interpolatesPlainly(source) : !insertsPlainly(source)) return false;
  const loads = [...read.code.matchAll(/\brequire\w*\s*\(?\s*(?:"(\d+)")?/g)];
  if (loads.some(([, index]) => !RUBY_MODULES.test(read.strings[Number(index)] ?? ''))) return false;
  const known = program === 'perl' ? PERL_WORDS : RUBY_WORDS;
  const constant =
    /^(RUBY_\w+|RbConfig|CONFIG|Gem|VERSION|JSON|YAML|Time|Date|ENV|ARGV|File|Dir|Integer|Float|Math|PI)$/;
  return [...code.matchAll(/[A-Za-z_]\w*/g)].every(
    ([word]) => known.has(word) || (program === 'ruby' && constant.test(word)),
  );
}
