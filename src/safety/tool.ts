import { parseJsonObject } from '../text/json.ts';
import { matchesGlob } from '../text/matching.ts';
import { pattern } from '../text/pattern.ts';
import { judgeSql } from './code/sql.ts';
import { type JudgeOptions, judgeCommand, judgeWrite, quote } from './judge.ts';
import { verbOf } from './verbs.ts';
import { destructive, harmless, type StaticVerdict, unknown, worse } from './verdict.ts';

/** An MCP server’s own description of a tool, which can only make the verdict stricter (SF-6). */
export type ToolAnnotations = { readonly destructiveHint?: boolean; readonly readOnlyHint?: boolean };

export type ToolOptions = JudgeOptions & {
  /** Globs over tool names that are destructive with any arguments. */
  readonly alwaysDestructive: readonly string[];
  readonly annotations?: ToolAnnotations;
};

const BUILT_IN_HARMLESS = new Set(['jobs', 'delegate', 'request_mode_upgrade']);
/** Tools that run their arguments. */
const EXECUTES =
  /(^|_)(shell|bash|sh|exec|execute|run|terminal|command|cmd|ssh|eval|spawn|system|powershell|script|console|subprocess)(_|$)/;
const COMMAND_KEY =
  /^(command|cmd|commands|shell|script|bash|exec|commandline|command_line|run|line|input|code_to_run)$/i;
const CODE_KEY = /^(code|script|source|javascript|js|python|function|expression|pagefunction)$/i;
const SQL_KEY = /^(sql|query|statement|statements|queries|sql_query|sqlquery)$/i;
/** Arguments that are prose or content: commands in them are not run. */
const PROSE_KEY = pattern(
  String.raw`
    ^(title|body|description|content|contents|text|message|messages|comment|summary|subject|note|notes|prompt
    |thought|question|answer|q|search|pattern|regex|glob|name|label|labels|caption|observation|observations
    |reason|topic|keywords?|old_?text|new_?text|old_?str|new_?str|value|markdown|html|data_to_write|file_text
    |url|path|file_?path)$
  `,
  'i',
);

/** Arguments that are code or a command, whatever the tool is called. */
const LOUD_KEY =
  /^(command|cmd|commands|shell|script|bash|exec|command_?line|code|sql|sql_?query|statements?|javascript|js|python|function|expression|(.*_)?cli_command)$/i;

const WRITES = pattern(String.raw`
    ^(create|add|insert|write|append|post|send|make|new|save|store|start|commit|push|upload|copy|comment|reply
    |subscribe|assign|label|fork|star|enable|register|schedule|import|publish|book|invite|share|submit|generate
    |link|think|click|type|fill|navigate|hover|screenshot|press|select|scroll|wait|go)$
  `);
const CHANGES =
  /^(update|edit|modify|set|patch|replace|rename|move|merge|upsert|put|change|apply|overwrite|transfer|migrate|sync|resize|scale|rotate|close|archive|lock|mute|unsubscribe|unassign|deploy)$/;
const OVERWRITES = /^(overwrite|replace|upsert)$/;
const READS = pattern(String.raw`
    ^(get|list|read|search|find|show|describe|view|fetch|query|look|lookup|check|count|status|info|inspect
    |browse|explain|analyze|validate|preview|tail|head|stat|tree|diff|log|logs|ping|echo|who|whoami|current
    |convert|calculate|summarize|translate|resolve|suggest|extract|parse|verify|test|estimate|compare|directory
    |sequentialthinking|retrieve|download|export|snapshot|discover|crawl|scrape|time|weather|help|version|scan
    |render|peek|dry_?run|plan|blame|grep|ls|cat|sample|aggregate|open|watch|monitor|visit|recall|ask|audit|is
    |has|can|allowed)$
  `);

/** Servers for one program, whose tools take a command of that program. */
const FRONTS: readonly (readonly [RegExp, string])[] = [
  [/redis|valkey/, 'redis-cli'],
  [/kubectl|kubernetes|k8s/, 'kubectl'],
  [/docker/, 'docker'],
  [/helm/, 'helm'],
  [/terraform/, 'terraform'],
];

/** Deletions in Cypher, the query language of graph databases. */
const CYPHER_LOSS = /\b(detach\s+delete|delete|drop|remove)\b/i;

const ITS_NAME_READS = harmless('its name says that it reads');
/** Servers whose tools pass a `query` to a database, whatever the tool's name. */
const DATABASE =
  /sql|postgres|maria|oracle|snowflake|bigquery|clickhouse|duckdb|redshift|athena|trino|presto|databricks|cassandra|mongo|redis|(^|[_-])db([_-]|$)|database|query|exec|run|shell|command/;

/** Judges a tool call by its name, its arguments and its server's description (SF-6). Never throws. */
export function judgeTool(name: string, argumentsJson: string, options: ToolOptions): StaticVerdict {
  try {
    return judge(name, argumentsJson, options);
  } catch {
    return unknown('the call could not be parsed', { unresolved: true });
  }
}

function judge(name: string, argumentsJson: string, options: ToolOptions): StaticVerdict {
  const args = parseJsonObject(argumentsJson.trim() || '{}');
  if (name === 'bash' && typeof args?.command === 'string') return judgeCommand(args.command, options);
  const always = options.alwaysDestructive.find((glob) => matchesGlob(name, [glob]));
  if (always !== undefined)
    return worse(
      destructive(`tool ${always}`, `${name} is always asked about`, undefined, 2),
      args ? judgePaths(name, args, options) : harmless(),
    );
  if (BUILT_IN_HARMLESS.has(name)) return harmless();
  const named = byName(name, args);
  let verdict = worse(named, unknown('its arguments are not a JSON object'));
  if (args !== undefined) {
    // The query of a tool that only looks something up is plain text, even if it looks like a command.
    const texts = named === ITS_NAME_READS && !DATABASE.test(name.toLowerCase());
    const given = byArguments(name, args, options, texts);
    // A tool that runs its arguments is as harmless as they are.
    verdict = named.verdict === 'unknown' && given.settled ? given.verdict : worse(named, given.verdict);
  }
  const { annotations } = options;
  if (annotations?.destructiveHint === true)
    return worse(verdict, destructive('declared destructive', 'its server says it is destructive'));
  if (annotations?.readOnlyHint === false) return worse(verdict, unknown('its server says that it changes something'));
  return verdict;
}

/** Returns the words of a tool's name: `server__deleteManyItems` → delete, many, items. */
function nameWords(name: string): readonly string[] {
  const own = name.includes('__') ? name.slice(name.indexOf('__') + 2) : name;
  return own
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Names that are judged as a whole, whatever their first word is. */
const WHOLE_NAMES: readonly (readonly [
  (words: readonly string[], args: Record<string, unknown> | undefined) => boolean,
  StaticVerdict,
])[] = [
  [
    ([first = '', ...more]) =>
      /^(grant|attach|assign)$/.test(first) &&
      [first, ...more].some((word) => /^(role|roles|policy|admin|permission|permissions|owner|access)$/.test(word)),
    destructive('tool verb', 'it grants rights'),
  ],
  [
    (words) => words.includes('refund') && !READS.test(words[0] ?? ''),
    destructive('tool verb', 'a refund can’t be taken back'),
  ],
  [
    (words, args) =>
      words.some((word) => /^(update|modify|set)$/.test(word)) &&
      /^(many|all|bulk)$/.test(words.at(-1) ?? '') &&
      isEmpty(args?.filter),
    destructive('tool argument', 'it has no filter, so it changes everything'),
  ],
  [
    (words) => / (and|then) /.test(` ${words.join(' ')} `) && words.some((word) => verbOf(word) === 'destroys'),
    destructive('tool verb', 'its name says so'),
  ],
  [
    (words) => /^(delete|remove|destroy|purge)$/.test(words.at(-1) ?? '') && !READS.test(words[0] ?? ''),
    destructive('tool verb', 'its name says so'),
  ],
];

function byName(name: string, args: Record<string, unknown> | undefined): StaticVerdict {
  const words = nameWords(name);
  const server = name.includes('__') ? name.slice(0, name.indexOf('__')).toLowerCase() : '';
  const meaningful = words[0] === server ? words.slice(1) : words;
  const dry = args?.dryRun === true || args?.dry_run === true || args?.dryrun === true;
  const list = meaningful.length > 0 ? meaningful : words;
  const whole = WHOLE_NAMES.find(([holds]) => holds(list, args));
  if (whole) return whole[1];
  for (const index of list.keys()) {
    const found = byWord(list, index, dry);
    if (found) return found;
  }
  return unknown('an unknown tool');
}

/** Returns the verdict on one word of a name; undefined: the next word may decide. */
function byWord(list: readonly string[], index: number, dry: boolean): StaticVerdict | undefined {
  const word = list[index] ?? '';
  if (READS.test(word) && !list.slice(0, index).some((other) => verbOf(other)?.startsWith('destroys')))
    return ITS_NAME_READS;
  if (
    verbOf(word)?.startsWith('destroys') ||
    /^(kill|truncate|deletes?|removal|force|empty|kick|ban|evict)$/.test(word)
  )
    return dry ? unknown('a dry run, by its arguments') : destructive('tool verb', `its name says: ${word}`);
  if (OVERWRITES.test(word) || (word === 'update' && list[index - 1] === 'or'))
    return destructive('tool verb', `its name says: ${word}`);
  if (word === 'merge' && list.some((other) => /^(pull|pr|mr|merge_request|request)$/.test(other)))
    return destructive('tool verb', 'a merge is published and can’t be taken back');
  return CHANGES.test(word) || WRITES.test(word) ? byChange(list, word) : undefined;
}

/** Returns the verdict on a word that changes or adds something. */
function byChange(list: readonly string[], word: string): StaticVerdict {
  if (list.includes('or') && (list.includes('update') || list.includes('replace')))
    return destructive('tool verb', 'it may overwrite');
  if (word === 'write' && list.includes('file')) return destructive('tool verb', 'writes a file');
  return CHANGES.test(word)
    ? unknown('its name says that it changes something')
    : harmless('its name says that it adds');
}

/** Returns whether a filter has no condition. */
function isEmpty(filter: unknown): boolean {
  return filter === undefined || (typeof filter === 'object' && filter !== null && Object.keys(filter).length === 0);
}

/** Arguments that name a file or directory. */
const PATH_KEY =
  /^(path|paths|file|files|file_?paths?|file_?name|relative_?path|target|target_?(file|path)|dest|destination|to|new_?path|output|output_?(file|path)|uri|source|from|src|old_?path)$/i;
/** Matches the names of paths from which a moving tool takes files away; other tools only read such paths. */
const SOURCE_KEY = /^(source|from|src|old_?path)$/i;
/** Arguments that hold a file's new content. */
const CONTENT_KEY =
  /^(contents?|text|new_?(text|str|string|content)|file_?text|data|edits?|changes|patch|patches|diff|body|lines|insert_?(text|line)|replacement)$/i;
/** Words in names of tools that change files. */
const WRITES_FILES =
  /^(write|edit|create|append|insert|replace|patch|apply|save|store|put|update|modify|overwrite|touch|upload|download|copy|link|symlink|chmod|truncate|extract|unzip)$/;
const MOVES_FILES = /^(move|rename|mv|delete|remove|rm|unlink|trash)$/;

/** Judges writing to the files that a call names, like a redirection into them. */
function judgePaths(name: string, args: Readonly<Record<string, unknown>>, options: ToolOptions): StaticVerdict {
  const words = nameWords(name);
  const moves = words.some((word) => MOVES_FILES.test(word));
  const writes =
    words.some((word) => WRITES_FILES.test(word)) || Object.keys(args).some((key) => CONTENT_KEY.test(key));
  if (!moves && !writes) return harmless();
  let verdict = harmless();
  for (const [key, value] of Object.entries(args)) {
    if (!PATH_KEY.test(key) || (SOURCE_KEY.test(key) && !moves)) continue;
    for (const path of Array.isArray(value) ? value.slice(0, MAX_PATHS) : [value])
      if (typeof path === 'string' && path !== '' && !/^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(path))
        verdict = worse(verdict, judgeWrite(pathOf(path), options));
  }
  return verdict;
}

/** The most paths of one argument that are judged. */
const MAX_PATHS = 50;

function pathOf(text: string): string {
  if (!/^file:\/\//i.test(text)) return text;
  try {
    return decodeURIComponent(new URL(text).pathname);
  } catch {
    return text;
  }
}

type Given = { readonly verdict: StaticVerdict; readonly settled: boolean };

function byArguments(name: string, args: Record<string, unknown>, options: ToolOptions, texts: boolean): Given {
  const walk = new ArgumentWalk(name, args, options, texts);
  walk.request(args, 0);
  for (const [key, value] of Object.entries(args)) walk.visit(key, value, 0);
  return walk;
}

/** Arguments that make the call delete something when they are true. */
const FORCING_KEY =
  /^(force|recursive_delete|delete|purge|overwrite|drop|hard|delete_branch|permanently|permanent|prune|destroy|auto_approve)$/i;

/** Walks through all arguments of a call and keeps the worst verdict. */
class ArgumentWalk implements Given {
  verdict: StaticVerdict;
  settled = false;
  private readonly args: Record<string, unknown>;
  private readonly tool: Omit<Argument, 'key' | 'value'>;
  private seen = 0;

  constructor(name: string, args: Record<string, unknown>, options: ToolOptions, texts: boolean) {
    this.args = args;
    this.tool = { name, options, texts, executes: EXECUTES.test(nameWords(name).join('_')) };
    this.verdict = worse(transfer(name, args, options), judgePaths(name, args, options));
  }

  visit(key: string, value: unknown, depth: number): void {
    if (++this.seen > 500 || depth > 8) return;
    this.request(value, depth);
    if (typeof value === 'string') this.text(key, value);
    else if (Array.isArray(value)) {
      this.line(key, value);
      for (const item of value) this.visit(key, item, depth + 1);
    } else if (typeof value === 'object' && value !== null) {
      for (const [inner, item] of Object.entries(value)) {
        if (inner === '$out' || inner === '$merge')
          this.note(destructive('tool argument', `${inner} overwrites a collection`));
        this.visit(inner, item, depth + 1);
      }
    } else if (value === 0 && /^(replicas|desired_?count|min_?size)$/i.test(key))
      this.note(destructive('tool argument', `${key} is 0: nothing is left running`));
    else if (value === true && FORCING_KEY.test(key)) this.note(destructive('tool argument', `${key} is set`));
  }

  /** Judges a JSON-RPC request, as an object or as text, like a call of the tool named by its method. */
  request(value: unknown, depth: number): void {
    const call = typeof value === 'string' && /^\s*\{[\s\S]*"method"/.test(value) ? parseJsonObject(value) : value;
    if (typeof call !== 'object' || call === null || !('method' in call) || typeof call.method !== 'string') return;
    if (depth > 3 || !('params' in call || 'jsonrpc' in call)) return;
    const params: object =
      'params' in call && typeof call.params === 'object' && call.params !== null ? call.params : {};
    const tool = call.method === 'tools/call' && 'name' in params && typeof params.name === 'string';
    const [name, args] = tool
      ? [String(params.name), 'arguments' in params ? params.arguments : {}]
      : [call.method.replaceAll(/[/.]/g, '_'), params];
    this.note(onlyLoss(judgeTool(name, JSON.stringify(args ?? {}), this.tool.options)));
  }

  private note(found: StaticVerdict): void {
    this.verdict = worse(this.verdict, found);
  }

  private text(key: string, value: string): void {
    this.settled ||=
      (this.tool.executes && (COMMAND_KEY.test(key) || SQL_KEY.test(key))) ||
      /cli_command$|^(http_)?method$/i.test(key);
    this.note(judgeString({ ...this.tool, key, value }));
  }

  /** Judges the words of one command, given as a list. */
  private line(key: string, value: readonly unknown[]): void {
    if (!value.every((item) => typeof item === 'string') || !/^(args|argv|arguments|command|cmd)$/i.test(key)) return;
    const { name, options, executes } = this.tool;
    const { command } = this.args;
    const program = typeof command === 'string' && key !== 'command' ? `${command} ` : '';
    const tool =
      program === '' && /^(kubectl|git|docker|helm|aws|terraform|psql|redis)/.exec(nameWords(name)[0] ?? '')?.[0];
    const line = `${tool ? `${tool} ` : program}${value.map(quote).join(' ')}`;
    this.settled ||= executes || tool !== false;
    const found = judgeCommand(line, options);
    this.note(this.settled ? found : onlyLoss(found));
  }
}

/** One string argument of a call. */
type Argument = {
  readonly name: string;
  readonly key: string;
  readonly value: string;
  /** Whether the tool runs its arguments. */
  readonly executes: boolean;
  readonly options: ToolOptions;
  /** Whether the tool only looks something up, so that its query is plain text. */
  readonly texts: boolean;
};

/** The start of an SQL statement. */
const SQL_TEXT =
  /^\s*(--|\/\*|\(|select|insert|update|delete|drop|create|alter|truncate|with|explain|show|grant|revoke|merge|replace|call|do|begin|vacuum|pragma)/i;

const GRAPH_KEY = /^(query|mutation|document|graphql|operation|gql|body|source)$/i;
/** A GraphQL document with a mutation. */
const MUTATION = /(?:^|\})(?:\s|#.*\n)*mutation\b[^{}]*\{/;

/** Returns a GraphQL document, alone or from the request that carries it. */
function documentOf(text: string): string {
  const query = /^\s*\{\s*"/.test(text) ? parseJsonObject(text)?.query : text;
  return typeof query === 'string' ? query : '';
}

/** Judges a mutation by the names of its fields. */
function judgeMutation(text: string): StaticVerdict {
  const plain = text.replace(/#.*|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"/g, '');
  for (const [, field = ''] of plain.matchAll(/([A-Za-z_]\w*)\s*(?=[({}])/g)) {
    const word = nameWords(field).find((each) => verbOf(each) === 'destroys');
    if (word !== undefined) return destructive('tool argument', `a mutation: ${field.slice(0, 40)}`);
  }
  return unknown('a mutation: it changes something');
}

/** Returns the losses in a string argument. An unknown command in it is no finding. */
function judgeString(argument: Argument): StaticVerdict {
  const { name, key, value, options, texts } = argument;
  if (value.length < 3) return harmless();
  if (COMMAND_KEY.test(key) || /^sub_?command$/i.test(key)) {
    const fronted = behind(name, value, options);
    if (fronted.verdict === 'destructive') return fronted;
  }
  if (/^(method|http_method|verb|action|operation|op|type|mode)$/i.test(key)) return judgeMethod(key, value);
  const document = GRAPH_KEY.test(key) ? documentOf(value) : '';
  if (MUTATION.test(document)) return judgeMutation(document);
  const hidden = hiddenIn(name, key, value, options);
  if (hidden.verdict === 'destructive' || (texts && !LOUD_KEY.test(key) && !CODE_KEY.test(key))) return hidden;
  if (SQL_KEY.test(key)) return judgeQuery(argument);
  if (CODE_KEY.test(key) && !/^(bash|sh|shell)/i.test(key)) return judgeCode(argument);
  return judgeWords(argument);
}

function judgeMethod(key: string, value: string): StaticVerdict {
  return /^(DELETE|PURGE)$/.test(value) || verbOf(value) === 'destroys' || /^(write|overwrite|replace)$/i.test(value)
    ? destructive('tool argument', `${key} is ${value}`)
    : harmless();
}

function judgeQuery({ name, value, executes }: Argument): StaticVerdict {
  if (SQL_TEXT.test(value)) {
    const sql = judgeSql(value);
    return executes || sql.verdict === 'destructive' ? sql : harmless();
  }
  return /cypher|neo4j|memgraph/.test(name.toLowerCase()) && CYPHER_LOSS.test(value)
    ? destructive('tool argument', 'a query that deletes')
    : harmless();
}

/** Judges code of an unknown language as each of two languages, and its shell lines (`!ls`). */
function judgeCode({ key, value, options }: Argument): StaticVerdict {
  for (const line of value.match(/^\s*[!%][a-z].*$/gm) ?? []) {
    const verdict = judgeCommand(line.trim().slice(1), options);
    if (verdict.verdict === 'destructive') return verdict;
  }
  const code = worse(
    onlyLoss(judgeCommand(`node -e ${quote(value)}`, options)),
    onlyLoss(judgeCommand(`python -c ${quote(value)}`, options)),
  );
  return worse(worse(code, unknown('runs code')), key === 'script' ? onlyLoss(judgeCommand(value, options)) : code);
}

/** Judges words that may be a command or prose. */
function judgeWords({ key, value, executes, options }: Argument): StaticVerdict {
  if (/cli_command$/i.test(key)) return judgeCommand(value, options);
  if (
    COMMAND_KEY.test(key) ||
    (executes &&
      !/^(cwd|dir|directory|workdir|path|description|host|hostname|user|timeout|session|name|title)$/i.test(key))
  ) {
    const verdict = judgeCommand(value, options);
    return executes || COMMAND_KEY.test(key) ? verdict : onlyLoss(verdict);
  }
  return !PROSE_KEY.test(key) && /\s/.test(value) ? onlyLoss(judgeCommand(value, options)) : harmless();
}

/** Arguments with a command that runs in addition to the tool’s own action. */
const HOOK_KEY = /(^|_)(run|exec|command|cmd|hook|shell|script)s?$/i;
/** A statement that loses data, as a whole value or injected after another. */
const SQL_LOSS =
  /(^|;)\s*(drop\s+(table|database|schema|view|index)\s+\w|truncate\s+\w|delete\s+from\s+\w|detach\s+delete\b)/i;
/** The start of a statement that changes data. */
const SQL_CHANGE = pattern(
  String.raw`
    (^|;)\s*((drop|alter)\s+(table|database|schema|view|index|user|role|trigger|function|sequence)\s+["\w]
    |(grant|revoke)\s[\w\s,]+\s(on|to|from)\s|(merge|replace)\s+into\s|with\s+\w+\s+as\s*\(
    |update\s+[\w."]+\s+set\s+[\w."]+\s*=)
  `,
  'i',
);
/** A statement as a whole value, which can't be prose. */
const SQL_WHOLE = pattern(
  String.raw`
    ^\s*(drop\s+(table|database|schema|view|index|user|role)\s+(if\s+exists\s+)?[\w."]+(\s+cascade)?
    |truncate(\s+table)?\s+[\w."]+|delete\s+from\s+[\w."]+(\s+where\s.*[=<>].*)?
    |update\s+[\w."]+\s+set\s+[\w."]+\s*=.*)\s*;?\s*$
  `,
  'i',
);
const GRAPH_LOSS = /\)\s*detach\s+delete\b/i;
/** Tools that search for words, wherever the words occur. */
const SEARCHES = /(^|_)(search|find|grep|lookup|web|google|ask)(_|$)/;

/** Returns losses in the arguments of a tool whose name says that it only reads, which proves nothing. */
function hiddenIn(name: string, key: string, value: string, options: ToolOptions): StaticVerdict {
  if (HOOK_KEY.test(key)) return onlyLoss(judgeCommand(value, options));
  const called = nameWords(name);
  const searches = SEARCHES.test(called.join('_'));
  const prose = PROSE_KEY.test(key);
  if (
    prose
      ? searches || called.some((word) => WRITES.test(word)) || !SQL_WHOLE.test(value)
      : searches && SQL_KEY.test(key)
  )
    return harmless();
  if (SQL_LOSS.test(value) || GRAPH_LOSS.test(value))
    return destructive('tool argument', `${key} holds a statement that deletes`);
  return prose || SQL_CHANGE.test(value) ? onlyLoss(judgeSql(value)) : harmless();
}

/** Returns the command of a tool that wraps a program, with the program’s name in front. */
function behind(name: string, value: string, options: ToolOptions): StaticVerdict {
  const words = nameWords(name);
  const program = FRONTS.find(([server]) => server.test(name.toLowerCase()))?.[1];
  if (program === undefined) return harmless();
  // For `kubectl_rollout` with a subcommand, the words of the name come first.
  const own = words[0] === program && words.length > 1 && words[1] !== 'generic' ? words.slice(1).join(' ') : '';
  return worse(
    onlyLoss(judgeCommand(`${program} ${value}`, options)),
    own === '' ? harmless() : onlyLoss(judgeCommand(`${program} ${own} ${value}`, options)),
  );
}

/** Judges `move_file` and similar tools, which overwrite the file at the destination. */
function transfer(name: string, args: Record<string, unknown>, options: ToolOptions): StaticVerdict {
  if (!/^(move|rename|mv)(_|$)/.test(nameWords(name).join('_'))) return harmless();
  const [from, to] = [args.source ?? args.from ?? args.src, args.destination ?? args.to ?? args.dest ?? args.target];
  if (typeof from !== 'string' || typeof to !== 'string') return harmless();
  return onlyLoss(judgeCommand(`mv -- ${quote(from)} ${quote(to)}`, options));
}

function onlyLoss(verdict: StaticVerdict): StaticVerdict {
  return verdict.verdict === 'destructive' ? verdict : harmless();
}
