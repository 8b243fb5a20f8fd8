import { isAbsolute, join } from 'node:path';
import {
  type Assignment,
  type CompoundList,
  forEachChild,
  type ParsedScript,
  parse,
  type Redirection,
  type Script,
  type Statement,
  type SyntaxNode,
  type Word,
} from 'unbash';
import {
  destructive,
  harmless,
  type Part,
  placed,
  type Sending,
  type StaticVerdict,
  unknown,
  worse,
} from '../verdict.ts';
import { evaluateSubscript, expandAgain, walkArithmetic, walkParts } from './arithmetic.ts';
import {
  depthOf,
  type Field,
  type Io,
  type Judge,
  MAX_COMMAND_CHARS,
  MAX_DEPTH,
  type Machine,
  type Redirect,
  type World,
} from './machine.ts';
import { runVariable } from './run-variables.ts';
import { type Place, Scope, type Value } from './scope.ts';
import { ENDLESS, escapeMarks, FILE_TEXT, hasUnknown, OWN_TEMP, UNKNOWN } from './taint.ts';
import {
  expandPattern,
  expandPatterns,
  expandQuoted,
  expandString,
  expandText,
  expandWord,
  expandWords,
  noNameIsOption,
  noteDashes,
} from './word.ts';

type Node = Statement['command'] | Statement | CompoundList;
type NodeOf<Type extends SyntaxNode['type']> = Extract<SyntaxNode, { type: Type }>;

const MAX_NESTED = 24;
const MAX_STEPS = 4000;
/** The most alternative directories for which a command is judged, since a `cd` may fail. */
const MAX_WORLDS = 8;
const MAX_OUTPUT = 200_000;
const NOTHING_AROUND = { files: undefined, reading: undefined, own: undefined, ours: undefined };
type Around = Pick<World, keyof typeof NOTHING_AROUND>;

/** A shell that interprets commands without running anything. One instance per judgement. */
export class ShellInterpreter implements Machine {
  scope: Scope;
  private readonly around: Around;
  readonly usedOwn = new Set<string>();
  readonly root: string | undefined;
  readonly substituted = new Map<string, string>();
  readonly written = new Map<string, string>();
  readonly changed = new Set<string>();
  readonly sinks = new Map<string, Script>();
  verdict: StaticVerdict = harmless();
  namesCredential = false;
  sends = false;
  changesOurs = false;
  runsProject = false;
  readonly sendings: Sending[] = [];
  private readonly judge: Judge;
  private nested = 0;
  private steps = 0;
  private worlds = 0;
  private functionDepth = 0;
  /** The position of the current command in the command line as typed. */
  protected part: Part = [0, 0];
  /** Greater than 0 while code from a string is interpreted, whose positions are not those of the command line. */
  private inString = 0;
  /** The command line as typed. */
  readonly source: string;
  /** Functions defined in code from a string. */
  private readonly definedInString = new WeakSet<object>();
  private readonly disabled: ReadonlySet<string>;

  constructor(judge: Judge, { cwd, files, reading, own, ours, source = '' }: World, disabled: ReadonlySet<string>) {
    this.source = source;
    this.judge = judge;
    this.disabled = disabled;
    this.scope = new Scope(cwd);
    this.around = cwd === undefined ? { ...NOTHING_AROUND, own } : { files, reading, own, ours };
    this.root = cwd;
    if (this.files) this.scope.set('HOME', this.files.home);
  }

  /** The state of the system; files are not looked up while commands run on another machine. */
  private get world(): Around {
    return this.scope.elsewhere ? NOTHING_AROUND : this.around;
  }

  get files(): World['files'] {
    return this.world.files;
  }

  get reading(): World['reading'] {
    return this.world.reading;
  }

  get own(): World['own'] {
    return this.world.own;
  }

  get ours(): World['ours'] {
    return this.world.ours;
  }

  get done(): boolean {
    return this.steps > MAX_STEPS;
  }

  note(verdict: StaticVerdict): void {
    const off = verdict.rule !== undefined && this.disabled.has(verdict.rule);
    this.verdict = worse(
      this.verdict,
      off ? unknown(`rule ${verdict.rule} is switched off`) : placed(verdict, this.part),
    );
  }

  watch(body: () => void): StaticVerdict {
    const before = this.verdict;
    this.verdict = harmless();
    body();
    const inner = this.verdict;
    this.verdict = before;
    return inner;
  }

  text(word: Word | undefined): string {
    return expandText(this, word);
  }

  pattern(word: Word | undefined): string {
    return expandPattern(this, word);
  }

  expandString(text: string): string {
    if (text.length > MAX_COMMAND_CHARS || depthOf(text) > MAX_DEPTH) return UNKNOWN;
    this.inString++;
    try {
      return expandString(this, text);
    } finally {
      this.inString--;
    }
  }

  inSubshell<T>(body: () => T): T {
    const outer = this.scope;
    this.scope = outer.copy();
    try {
      return body();
    } finally {
      this.scope = outer;
    }
  }

  runText(code: string, io: Io): string {
    if (code.trim() === '' || this.done) return '';
    if (code.length > MAX_COMMAND_CHARS || this.nested >= MAX_NESTED || depthOf(code) > MAX_DEPTH) {
      this.note(unknown('nested code beyond the limits', { unresolved: true }));
      return UNKNOWN;
    }
    const script = parse(hasUnknown(code) || code.includes(OWN_TEMP) ? code : escapeMarks(code));
    this.inString++;
    try {
      return this.runScript(script, io);
    } finally {
      this.inString--;
    }
  }

  runScript(script: ParsedScript | Script, io: Io): string {
    if (this.nested >= MAX_NESTED) {
      this.note(unknown('is nested too deeply to check', { unresolved: true }));
      return UNKNOWN;
    }
    this.nested++;
    try {
      if ('errors' in script && script.errors?.length) {
        this.note(unknown(`not valid shell syntax: ${script.errors[0]?.message ?? ''}`, { unresolved: true }));
      }
      return this.list(script.commands, io);
    } finally {
      this.nested--;
    }
  }

  runFields(fields: readonly Field[], io: Io, redirects: readonly Redirect[] = []): string {
    if (++this.steps > MAX_STEPS) {
      this.note(unknown('runs more commands than can be checked', { unresolved: true }));
      return UNKNOWN;
    }
    const first = fields[0];
    if (first === undefined) return '';
    const mayCall = this.scope.functions.size > 0 && !first.glob && !hasUnknown(first.text);
    const body = mayCall ? this.scope.functions.get(first.text) : undefined;
    if (body) return this.callFunction(first.text, fields.slice(1), io);
    const output = this.judge.call(this, fields, io, redirects);
    noteDashes(this, fields);
    return output;
  }

  private callFunction(name: string, args: readonly Field[], io: Io): string {
    const definition = this.scope.functions.get(name);
    if (!definition || this.functionDepth > 8) return UNKNOWN;
    this.functionDepth++;
    const { inString } = this;
    if (this.definedInString.has(definition)) this.inString++;
    const positional = this.scope.positional;
    this.scope.positional = args.map((field) => field.text);
    try {
      return this.node(definition.body, io);
    } finally {
      this.scope.positional = positional;
      this.inString = inString;
      this.functionDepth--;
    }
  }

  private list(commands: readonly Statement[], io: Io): string {
    let out = '';
    let stayed: Place | undefined;
    for (const [at, { command, background }] of commands.entries()) {
      if (this.done) break;
      const text = background ? this.inSubshell(() => this.node(command, { stdin: '' })) : this.node(command, io);
      if (out.length < MAX_OUTPUT) out += text;
      const { mayStay } = this.scope;
      if (mayStay === undefined || at === commands.length - 1) continue;
      this.scope.mayStay = undefined;
      stayed ??= mayStay;
      this.inWorld(mayStay, () => this.list(commands.slice(at + 1), io));
    }
    this.scope.mayStay ??= stayed;
    return out;
  }

  /** Runs `body` also for the directory where the shell stays if a `cd` fails or does not run. */
  private inWorld(place: Place, body: () => string): string {
    if (++this.worlds > MAX_WORLDS) {
      this.note(unknown('may run in more directories than are looked at'));
      return UNKNOWN;
    }
    return this.inSubshell(() => {
      this.scope.standAt(place);
      return body();
    });
  }

  /** Walks commands joined by `&&` and `||`, of which a later one may not run. */
  private chain({ commands, operators }: NodeOf<'AndOr'>, io: Io): string {
    let out = '';
    let isSure = true;
    for (const [at, part] of commands.entries()) {
      const { mayStay, place } = this.scope;
      const otherwise = operators[at - 1] === '||';
      out += otherwise && mayStay ? this.inWorld(mayStay, () => this.node(part, io)) : this.node(part, io);
      if (otherwise && mayStay && some(part, (node) => node.type === 'Command' && LEAVES.test(node.name?.text ?? '')))
        this.scope.mayStay = undefined;
      else if ((otherwise || !isSure) && this.files && !this.scope.stops && this.scope.cwd !== place.cwd)
        this.scope.mayStay ??= place;
      isSure &&= part.type === 'Command' && SURE.test(words(part));
    }
    return out;
  }

  private node(node: Node | SyntaxNode, io: Io): string {
    if (this.done) return '';
    switch (node.type) {
      case 'Statement':
        return this.node(node.command, io);
      case 'CompoundList':
        return this.list(node.commands, io);
      case 'Command':
        return this.placed(node, io);
      case 'Pipeline':
        return this.pipeline(node.commands, io);
      case 'AndOr':
        return this.chain(node, io);
      case 'BraceGroup':
        return this.list(node.body.commands, io);
      case 'Subshell':
        return this.subshell(node.body, io);
      case 'Redirected':
        return this.redirected(node, io);
      case 'Function':
        this.define(node);
        return '';
      case 'Coproc':
        return this.subshell(node.body, { stdin: UNKNOWN });
      case 'If':
        this.list(node.clause.commands, io);
        return this.branches(bodiesOfIf(node), io);
      case 'While':
        noteEndless(this, node);
        this.list(node.clause.commands, io);
        return this.branches([node.body], io);
      case 'For':
      case 'Select':
        return this.loop(node, io);
      case 'ArithmeticFor':
        noteEndless(this, node);
        walkParts(this, [node.initialize, node.test, node.update]);
        return this.branches([node.body], io);
      case 'Case':
        return this.branches(bodiesOfCase(this, node), io);
      case 'TestCommand':
        visitTest(this, node.expression);
        return '';
      case 'ArithmeticCommand':
        walkArithmetic(this, node.expression, node.body);
        return '';
      default:
        return '';
    }
  }

  private subshell(body: Node, io: Io): string {
    return this.inSubshell(() => this.node(body, io));
  }

  private pipeline(commands: readonly Node[], io: Io): string {
    let stdin = io.stdin;
    for (const part of commands) {
      const given = { stdin };
      stdin = commands.length > 1 ? this.inSubshell(() => this.node(part, given)) : this.node(part, given);
    }
    return stdin ?? '';
  }

  private redirected(node: NodeOf<'Redirected'>, io: Io): string {
    const redirects = expandRedirects(this, node.redirects, this.inString === 0);
    this.open(redirects);
    const out = this.node(node.command, { stdin: stdinOf(redirects, this) ?? io.stdin });
    return goesAway(this, redirects, out) ? '' : out;
  }

  private define(node: NodeOf<'Function'>): void {
    if (startsItselfTwice(node)) this.note(destructive('fork bomb', 'starts processes endlessly'));
    if (this.inString > 0) this.definedInString.add(node);
    this.judge.definition(this, node.name.text);
    this.scope.define(node.name.text, node);
  }

  /** Interprets a command and records its findings at its position, unless it is in a string. */
  private placed(node: NodeOf<'Command'>, io: Io): string {
    const outer = this.part;
    if (this.inString === 0) this.part = [node.pos, node.end];
    try {
      return this.command(node, io);
    } finally {
      this.part = outer;
    }
  }

  private open(redirects: readonly Redirect[]): void {
    for (const redirect of redirects) {
      const outer = this.part;
      this.part = redirect.part ?? outer;
      this.judge.redirect(this, redirect);
      this.part = outer;
    }
  }

  private branches(bodies: readonly CompoundList[], io: Io): string {
    let out = '';
    for (const body of bodies) {
      const before = this.scope.copy();
      out += this.list(body.commands, io);
      this.scope.forgetDifferences(before);
    }
    return out;
  }

  private loop(node: NodeOf<'For' | 'Select'>, io: Io): string {
    const { wordlist, body } = node;
    const name = node.name.text;
    const values = wordlist
      ? expandWords(this, wordlist).map(({ text, glob }) => (glob ? loopPath(this, text) : text))
      : undefined;
    const items = values ?? this.scope.positional;
    if (startsMany(node, items.length)) this.note(unknown('starts many processes at once'));
    if (this.scope.dropReference(name))
      this.note(unknown('uses a different variable in each round of a loop', { unresolved: true }));
    this.judge.assignment(this, name, items.every((item) => item === items[0]) ? (items[0] ?? '') : UNKNOWN, false);
    let out = '';
    for (const value of items.length > 12 ? [...items.slice(0, 11), UNKNOWN] : items) {
      this.scope.set(name, value);
      out += this.list(body.commands, io);
      if (this.done) break;
    }
    return out;
  }

  private command(node: NodeOf<'Command'>, io: Io): string {
    const fields: Field[] = [];
    // Reading `redirections` creates a list, which most commands don't need.
    let redirected = node.prefix.length > 0;
    if (node.name) expandWord(this, node.name, fields);
    for (const arg of node.suffix) {
      if (arg.type === 'Word') expandWord(this, arg, fields);
      else if (arg.type === 'Assignment') fields.push({ text: this.assignmentText(arg, fields), glob: false });
      else redirected = true;
    }
    const redirections = redirected ? expandRedirects(this, node.redirects, this.inString === 0) : NONE;
    if (redirections.length > 0) this.open(redirections);
    for (const assignment of node.prefix)
      if (assignment.type === 'Assignment') this.assign(assignment, fields.length > 0);
    // `$(<file)` is the text of the file.
    if (fields.length === 0) return stdinOf(redirections, this) ?? '';
    const stdin = stdinOf(redirections, this);
    const given = stdin === undefined ? io : { stdin };
    let out = '';
    if (fields[0]?.text !== UNKNOWN) out = this.runFields(fields, given, redirections);
    else for (const words of alternatives(this, node, fields)) out = this.runFields(words, given, redirections);
    this.scope.lastArgument = fields[fields.length - 1]?.text ?? '';
    if (!goesAway(this, redirections, out)) return out;
    keepOutput(this, redirections, out);
    return '';
  }

  private assignmentText(assignment: Assignment, before: readonly Field[]): string {
    if (assignment.value.type === 'ArrayValue') {
      this.assign(
        assignment,
        false,
        before.some(({ text }) => /^-\w*A/.test(text)),
      );
      return assignment.name;
    }
    return `${assignment.name}${assignment.append ? '+' : ''}=${expandText(this, assignment.value)}`;
  }

  assign(assignment: Assignment, exported = false, named = false): void {
    carryOut(this, assignment, exported, named);
  }

  give(name: string, value: Value, exported = false): void {
    this.judge.assignment(this, name, typeof value === 'string' ? value : UNKNOWN, exported);
    this.scope.set(name, value);
  }
}

const NONE: readonly Redirect[] = [];

/** Judges each value of a command word whose variable may have several. */
function alternatives(
  machine: Machine,
  node: Extract<SyntaxNode, { type: 'Command' }>,
  fields: readonly Field[],
): readonly (readonly Field[])[] {
  if (fields[0]?.text !== UNKNOWN) return [fields];
  const name = /^"?\$\{?(\w+)\}?"?$/.exec(node.name?.text ?? '')?.[1];
  const values = machine.scope.alternatives.get(name ?? '');
  if (!name || !values || !node.name) return [fields];
  return values.map((value) => {
    machine.scope.set(name, value);
    const words: Field[] = [];
    if (node.name) expandWord(machine, node.name, words);
    return [...words, ...fields.slice(1)];
  });
}

/** Performs one assignment; `named`: its array is associative (`declare -A`). */
function carryOut(machine: Machine, assignment: Assignment, exported: boolean, named: boolean): void {
  const { name, value } = assignment;
  const { scope } = machine;
  if (value.type === 'ArrayValue') {
    if (named) scope.goByNames(name);
    machine.give(name, arrayOf(machine, assignment, value.elements), exported);
    return;
  }
  const text = machine.text(value);
  const old = scope.get(name);
  if (assignment.index) {
    const key = machine.text(assignment.index);
    evaluateSubscript(machine, name, key);
    const map = new Map(old instanceof Map ? old : []);
    if (Array.isArray(old))
      for (const [index, item] of (old as readonly string[]).entries()) map.set(String(index), item);
    machine.give(name, map.set(key, text), exported);
  } else if (assignment.append && old !== undefined) machine.give(name, scope.text(name) + text, exported);
  else machine.give(name, text, exported);
  runVariable(machine, name, text);
  if (name === 'PS4' || name === 'PROMPT_COMMAND')
    machine.runText(name === 'PS4' ? `: "${text}"` : text, { stdin: '' });
}

/** Returns everything that `if` may run after its first condition, including later conditions. */
function bodiesOfIf(node: NodeOf<'If'>): readonly CompoundList[] {
  const others = node.elif.flatMap((elif) => [elif.clause, elif.then]);
  return [node.then, ...others, node.else].filter((body) => body !== undefined);
}

/** Returns what `case` may run, after expanding its word and patterns. */
function bodiesOfCase(machine: Machine, node: NodeOf<'Case'>): readonly CompoundList[] {
  expandText(machine, node.word);
  expandPatterns(
    machine,
    node.items.flatMap(({ pattern }) => pattern),
  );
  return node.items.map(({ body }) => body);
}

type Loop = Extract<SyntaxNode, { type: 'While' | 'ArithmeticFor' | 'For' | 'Select' }>;

/** Commands that always succeed. */
const ALWAYS = /^(:|true|echo|printf|date|sleep)$/;
const SURE = /^(mkdir|cd|pushd|echo|export|set|true|:|\.|source|\[{1,2} -[de]|test -[de])( |$)/;
const LEAVES = /^(break|exit|return|exec|kill)$/;
/** From this many words on a loop counts as large. */
const MANY = 250;

/** Notes an endless loop that creates, starts or prints something in each round. */
function noteEndless(machine: Pick<Machine, 'note'>, loop: Loop): void {
  if (isEndless(loop)) machine.note(ENDLESS_LOOP);
}

const ENDLESS_LOOP = unknown('a loop without end');

function isEndless(loop: Loop): boolean {
  if (loop.type === 'While' ? !holds(loop) : loop.type !== 'ArithmeticFor' || loop.test !== undefined) return false;
  if (some(loop.body, (node) => node.type === 'Command' && LEAVES.test(node.name?.text ?? ''))) return false;
  return !isSlow(loop.body);
}

/** Returns whether a loop waits in each round, as `while true; do date; sleep 1; done`: it prints little. */
function isSlow(body: SyntaxNode): boolean {
  const sleeps = (node: SyntaxNode) => node.type === 'Command' && /^sleep [1-9]\d*$/.test(words(node));
  const keeps = (node: SyntaxNode) =>
    (node.type === 'Statement' && node.background === true) ||
    (node.type === 'Redirect' && node.operator.includes('>'));
  return some(body, sleeps) && !some(body, keeps);
}

/** Returns whether a loop over many words starts a background process in each round. */
function startsMany(loop: Loop, rounds: number): boolean {
  const source = 'wordlist' in loop ? (loop.wordlist ?? []).map(({ text }) => text).join(' ') : '';
  const counted = Number(/\bseq\s+(?:\d+\s+)*?(\d+)\)?`?$/.exec(source)?.[1] ?? 0);
  if (rounds < MANY && counted < MANY) return false;
  return (
    some(loop.body, (node) => node.type === 'Statement' && node.background === true) &&
    !some(loop.body, (node) => node.type === 'Command' && node.name?.text === 'wait')
  );
}

/** Returns whether the condition of a loop never changes. */
function holds({ clause, kind }: Extract<SyntaxNode, { type: 'While' }>): boolean {
  const last = clause.commands.at(-1)?.command;
  if (kind === 'until') return last?.type === 'Command' && last.name?.text === 'false';
  if (last?.type === 'ArithmeticCommand')
    return /^\(\(\s*1\s*\)\)$/.test(`((${last.body.replace(/^\(\(|\)\)$/g, '')}))`);
  if (last?.type !== 'Command') return false;
  const name = last.name?.text ?? '';
  return ALWAYS.test(name) || (name === '[' && /^\[ \w+ \]$/.test(words(last)));
}

function words({ name, suffix }: Extract<SyntaxNode, { type: 'Command' }>): string {
  return [name, ...suffix].map((part) => (part && 'text' in part ? part.text : '')).join(' ');
}

function some(body: SyntaxNode, matches: (node: SyntaxNode) => boolean): boolean {
  let left = 400;
  const visit = (node: SyntaxNode): boolean => {
    if (--left < 0) return true;
    if (matches(node)) return true;
    let found = false;
    forEachChild(node, (child) => {
      found ||= visit(child);
    });
    return found;
  };
  return visit(body);
}

/** Returns whether a function pipes into itself, or starts itself in the background, and so multiplies without end. */
function startsItselfTwice(definition: Extract<SyntaxNode, { type: 'Function' }>): boolean {
  const name = definition.name.text;
  const calls = (node: SyntaxNode) => node.type === 'Command' && node.name?.text === name;
  let left = 300;
  const visit = (node: SyntaxNode): boolean => {
    if (--left < 0) return false;
    if (node.type === 'Pipeline' && node.commands.filter(calls).length > 1) return true;
    if (node.type === 'Statement' && node.background && calls(node.command)) return true;
    let found = false;
    forEachChild(node, (child) => {
      found ||= visit(child);
    });
    return found;
  };
  return visit(definition.body);
}

/** Walks the words of `[[ … ]]`: their substitutions run, and numbers and names in them are evaluated. */
function visitTest(machine: Machine, node: SyntaxNode): void {
  if (node.type === 'Word') machine.text(node);
  else if (node.type === 'TestUnary' || node.type === 'TestBinary') {
    const words = node.type === 'TestUnary' ? [node.operand] : [node.left, node.right];
    for (const word of words) {
      const text = machine.text(word);
      if (!isFromEnvironment(machine, word)) expandAgain(machine, text, node.operator);
    }
  } else forEachChild(node, (child) => visitTest(machine, child));
}

/** Returns whether `$x` was set by nothing in the command, so that its value is the user's own. */
function isFromEnvironment(machine: Machine, { text }: Word): boolean {
  const name = /^"?\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})"?$/.exec(text);
  return name !== null && machine.scope.get(name[1] ?? name[2] ?? '') === undefined;
}

/** Returns the elements that `name=(…)` assigns to an array, or its keys and values. */
function arrayOf(
  machine: Machine,
  assignment: Assignment,
  words: readonly Word[],
): readonly string[] | Map<string, string> {
  const keyed = words.map((word) => /^\[([^\]]*)\]=/.exec(word.text));
  if (words.length > 0 && keyed.every((found) => found !== null)) {
    const map = new Map<string, string>();
    for (const word of words) {
      const found = /^\[([^\]]*)\]=([\s\S]*)$/.exec(machine.text(word));
      evaluateSubscript(machine, assignment.name, found?.[1] ?? '');
      if (found) map.set(found[1] ?? '', found[2] ?? '');
    }
    return map;
  }
  const before = machine.scope.get(assignment.name);
  const old = assignment.append && before !== undefined ? machine.scope.list(assignment.name) : [];
  return [...old, ...expandWords(machine, words).map(({ text }) => text)];
}

/** Returns a `for` loop’s pattern as a file name of which only the start and the end are known. */
function loopPath(machine: Machine, text: string): string {
  const place = /^[*?[]/.test(text) && noNameIsOption(machine) ? './' : '';
  return place + text.replace(/[*?[\]]+/g, UNKNOWN);
}

/** Returns the text that redirections put on standard input, if any. */
function stdinOf(redirects: readonly Redirect[], machine: Machine): string | undefined {
  let stdin: string | undefined;
  for (const { operator, fd, target } of redirects) {
    if (fd !== undefined && fd !== 0) continue;
    if (operator === '<<' || operator === '<<-') stdin = target;
    else if (operator === '<<<') stdin = `${target}\n`;
    else if (operator === '<')
      stdin = machine.substituted.get(target) ?? (target === '/dev/null' ? '' : fileText(target));
    else if (operator === '<&') stdin = UNKNOWN;
  }
  return stdin;
}

/** Returns whether the path is a device that supplies data without end. */
export function isEndlessDevice(path: string): boolean {
  return path.startsWith('/dev/') && /^\/dev\/(zero|u?random|full)$/.test(path);
}

function fileText(path: string): string {
  return isEndlessDevice(path) ? FILE_TEXT + ENDLESS : FILE_TEXT;
}

/** Returns the part of `out` that a pipe or substitution receives: nothing if standard output is redirected. */
function goesAway(machine: Machine, redirects: readonly Redirect[], out: string): boolean {
  if (redirects.length === 0) return false;
  const away = sendsOutputAway(redirects);
  if (away) noteEndlessFile(machine, redirects, out);
  return away;
}

function sendsOutputAway(redirects: readonly Redirect[]): boolean {
  return redirects.some(
    ({ operator, fd, target }) =>
      operator.includes('>') &&
      operator !== '<>' &&
      (fd === undefined || fd === 1) &&
      !/^(&?\d+|-|\/dev\/(stdout|stderr|fd\/\d+))$/.test(target),
  );
}

/** For a file descriptor that the shell chooses (`{fd}<file`). */
const NAMED = 10;

/** Returns redirections with expanded targets; `placed`: their positions are in the command line. */
function expandRedirects(machine: Machine, nodes: readonly Redirection[], placed: boolean): readonly Redirect[] {
  return nodes.map((node) => {
    const fd = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : node.descriptor && NAMED;
    if (node.type === 'HereDoc') {
      const { body } = node;
      const target = node.delimiter?.quoted || !body.parts ? body.text : expandQuoted(machine, body.parts);
      return { operator: node.operator, fd, target: node.operator === '<<-' ? target.replace(/^\t+/gm, '') : target };
    }
    const part: Part | undefined = placed ? [node.pos, node.end] : undefined;
    return { operator: node.operator, fd, target: machine.text(node.target), ...(part ? { part } : {}) };
  });
}

/** Notes that endless output goes into a file. */
function noteEndlessFile(machine: Machine, redirects: readonly Redirect[], out: string): void {
  if (!out.includes(ENDLESS)) return;
  const target = redirects.find(({ operator, fd }) => operator.includes('>') && (fd ?? 1) === 1)?.target;
  if (target !== '/dev/null') machine.note(unknown('writes endlessly'));
}

/** Remembers the text written to a file, since the same command may run it next. */
function keepOutput(machine: Machine, redirects: readonly Redirect[], out: string): void {
  const target = redirects.find(({ operator, fd }) => operator.includes('>') && (fd ?? 1) === 1)?.target;
  const sink = target === undefined ? undefined : machine.sinks.get(target);
  if (sink) machine.inSubshell(() => machine.runScript(sink, { stdin: out }));
  if (target === undefined || target.startsWith('/dev/')) return;
  const near = target.replace(/^(\.\/)+/, '');
  const { cwd } = machine.scope;
  const path = isAbsolute(target) || cwd === undefined ? near : join(cwd, near);
  const append = redirects.some(({ operator }) => operator === '>>');
  machine.written.set(path, ((append && machine.written.get(path)) || '') + out);
}
