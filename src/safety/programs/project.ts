import { join, resolve } from 'node:path';
import { parseJsonObject } from '../../text/json.ts';
import { pattern } from '../../text/pattern.ts';
import { UNKNOWN } from '../shell/taint.ts';
import { harmless, unknown } from '../verdict.ts';
import type { Call, Handler, Handlers } from './call.ts';
import { runCode } from './code.ts';

/** System programs whose names a dependency of the project may have taken. */
const SYSTEM_NAME =
  /^(\[|awk|bash|cat|cp|cut|date|echo|env|find|git|grep|head|ls|make|mkdir|mv|node|npm|npx|printf|python3?|rm|sed|sh|sleep|sort|tail|tar|test|touch|true|wc|xargs)$/;

/** Runners whose commands are in a file of the project, which is read and judged. */
export const PROJECT: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['npm', runPackageScript],
  ['pnpm', runPackageScript],
  ['yarn', runPackageScript],
  ['make', runMake],
]);

/** Returns the text of a file, relative to the working directory; null: missing; undefined: unknown. */
export function textOf(call: Call, name: string): string | null | undefined {
  const { reading, scope, written } = call.machine;
  if (!reading || scope.cwd === undefined) return undefined;
  const path = resolve(scope.cwd, name);
  const made = written.get(path);
  if (made !== undefined) return made;
  if (reading.targets.has(path) || scope.made.has(path)) return undefined;
  const content = reading.look(path);
  return content?.kind === 'text' ? content.text : content?.kind === 'absent' ? null : undefined;
}

/** Judges `npm test` and `npm run x` by the script in package.json, with its pre and post scripts. */
function runPackageScript(call: Call): string | undefined {
  const words = call.args.map((field) => field.text).filter((word) => !/^(-s|--silent|--if-present)$/.test(word));
  const [sub = '', ...rest] = words;
  if (/^(npm|pnpm)$/.test(call.program) && words.length === 1 && /^(run|run-script)$/.test(sub)) return lists(call);
  const script = /^(run|run-script|rum)$/.test(sub) ? rest.shift() : scriptBehind(call.program, sub);
  if (script === undefined || script.startsWith('-') || (rest.length > 0 && rest[0] !== '--')) return undefined;
  const manifest = textOf(call, 'package.json');
  const scripts = typeof manifest === 'string' ? scriptsIn(manifest) : undefined;
  const plain = isPlainProject(call);
  if (scripts?.get(script) === undefined || !plain) return undefined;
  const extra = rest.slice(1).map(quoted).join(' ');
  for (const part of [`pre${script}`, script, `post${script}`]) {
    const text = scripts.get(part);
    if (text !== undefined) runText(call, part === script ? `${text} ${extra}` : text);
  }
  return UNKNOWN;
}

/** Returns the script that a subcommand runs; yarn and pnpm accept a script’s name as a subcommand. */
function scriptBehind(program: string, sub: string): string | undefined {
  if (/^(t|tst)$/.test(sub)) return 'test';
  return /^(test|start|stop|restart)$/.test(sub) || (program !== 'npm' && SCRIPT_NAME.test(sub)) ? sub : undefined;
}

/** Returns whether no setting of the project may name another shell, and no dependency is named as a system program. */
function isPlainProject(call: Call): boolean {
  const settings = ['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs'].map((file) => textOf(call, file));
  const { scope, reading } = call.machine;
  const bin = scope.cwd === undefined ? undefined : reading?.look(join(scope.cwd, 'node_modules', '.bin'));
  const shadowed =
    bin?.kind === 'directory' ? [...bin.names].some((found) => SYSTEM_NAME.test(found)) : bin?.kind !== 'absent';
  return !shadowed && settings.every((text) => text === null);
}

/** Returns the output of a call without a script’s name, which lists the scripts. */
function lists({ machine }: Call): string {
  machine.note(harmless('only lists the scripts of the project'));
  if (machine.reading) machine.reading.accounted++;
  return UNKNOWN;
}

/** Usual names of scripts that are not subcommands of the runner. */
const SCRIPT_NAME = /^(build|dev|lint|typecheck|format|check|preview|serve|watch|coverage|e2e)(:[\w:-]+)?$/;

function scriptsIn(manifest: string): ReadonlyMap<string, string> | undefined {
  const scripts = parseJsonObject(manifest)?.scripts;
  if (typeof scripts !== 'object' || scripts === null) return undefined;
  const entries = Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return new Map(entries);
}

/** Judges `make` and `make target` by the recipes that would run. Undefined: the makefile can’t be read completely. */
function runMake(call: Call): string | undefined {
  const given = call.args.map((field) => field.text);
  const words = given.filter((word) => !SHOWS_ONLY.test(word));
  const targets = words.filter(
    (word) => !/^(-[skBj]+\d*|--silent|--keep-going|--always-make|--no-print-directory)$/.test(word),
  );
  if (targets.some((word) => !/^[A-Za-z_][\w.-]*$/.test(word))) return undefined;
  const texts = ['GNUmakefile', 'makefile', 'Makefile'].map((name) => textOf(call, name));
  if (texts.includes(undefined)) return undefined;
  const text = texts.find((found) => typeof found === 'string');
  if (typeof text !== 'string') return undefined;
  const { recipes, isWhole } = recipesOf(text, targets);
  if (!isWhole) {
    // The part that can be read is judged anyway.
    for (const line of recipes)
      call.machine.inSubshell(() => runCode(call.machine, line, { stdin: call.io.stdin ?? '' }));
    return undefined;
  }
  if (words.length < given.length) {
    // `make -n` still runs lines that begin with a plus.
    if (/^\t[@\-\s]*\+/m.test(text)) return undefined;
    call.machine.note(harmless('only shows what it would run'));
    if (call.machine.reading) call.machine.reading.accounted++;
    return UNKNOWN;
  }
  for (const line of recipes) runText(call, line);
  return UNKNOWN;
}

const SHOWS_ONLY = /^(-n|--dry-run|--just-print|--recon)$/;

function runText(call: Call, text: string): void {
  const { machine } = call;
  const { reading } = machine;
  machine.inSubshell(() => runCode(machine, text, { stdin: call.io.stdin ?? '' }));
  if (reading) reading.accounted++;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

// Reads a makefile to find the recipes that `make` would run.

type Rule = { readonly needs: string[]; readonly recipe: string[] };

/** Directives, functions and variables by which a makefile does more than its plain rules. */
const BEYOND = pattern(String.raw`
    ^\s*(-?include|sinclude|define|endef|export|unexport|override|private|vpath|undefine|load|ifeq|ifneq|ifdef
    |ifndef|else|endif)\b|\$[({](?!\w+[)}])|!=|::|%|^\s*(SHELL|MAKEFLAGS|GNUMAKEFLAGS|VPATH|\.SHELLFLAGS)\b
    |^\.(?!PHONY\s*:|DEFAULT_GOAL\s*:?=)
  `);
/** Source files, for which make has no builtin rule. */
const SOURCE = /\.(h|hpp|py|js|mjs|ts|tsx|json|txt|md|html|css|toml|ya?ml|lock|svg|png)$/;
const MAX_RULES = 200;

/** Variables that make sets itself. The environment and the command line may override them. */
const BUILT_IN: Readonly<Record<string, string>> = {
  RM: 'rm -f',
  CC: 'cc',
  CXX: 'g++',
  AR: 'ar',
  LD: 'ld',
  MAKE: 'make',
};

/**
 * Returns the recipe lines that `make TARGETS` may run, in the order of the rules; without targets those of the first
 * rule. `isWhole`: the file has only plain rules and variables, so the list is complete.
 */
function recipesOf(
  text: string,
  targets: readonly string[],
): { readonly recipes: readonly string[]; readonly isWhole: boolean } {
  const makefile = new Makefile();
  for (const line of text.replace(/\\\r?\n\s*/g, ' ').split(/\r?\n/)) makefile.read(line);
  const { rules, variables } = makefile;
  const goal = variables.get('.DEFAULT_GOAL') ?? rules.keys().next().value;
  const recipes = makefile.collect(targets.length > 0 ? targets : goal === undefined ? [] : [goal]);
  // A makefile with a rule for itself is rebuilt before anything else, even by `make -n`.
  const makesItself = [...rules.keys()].some((name) => /(^|\/)(GNUm|[Mm])akefile$/.test(name));
  return { recipes, isWhole: makefile.isWhole && !makesItself };
}

/**
 * The rules of a makefile, read line by line. Lines that are not understood are skipped, and `isWhole` becomes false.
 */
class Makefile {
  readonly rules = new Map<string, Rule>();
  readonly variables = new Map<string, string>();
  isWhole = true;
  readonly #phony = new Set<string>();
  /** The rules to which the next recipe line belongs. */
  #current: Rule[] = [];

  read(line: string): void {
    if (line.startsWith('\t')) return this.#recipe(line);
    const plain = line.replace(/(^|\s)#.*$/, '').trimEnd();
    if (plain.trim() === '') return;
    if (BEYOND.test(plain)) this.isWhole = false;
    const assigned = /^([A-Za-z_]\w*|\.DEFAULT_GOAL)\s*(?:\?|::?|\+)?=\s*(.*)$/.exec(plain);
    if (assigned) this.#assign(assigned[1] ?? '', assigned[2] ?? '', plain);
    else this.#header(plain);
  }

  #recipe(line: string): void {
    if (/^\t[@\-+\s]*$/.test(line) || /^\t\s*#/.test(line)) return;
    if (this.#current.length === 0) this.isWhole = false;
    const command = this.#expanded(line.replace(/^\t[@\-+\s]*/, ''));
    for (const rule of this.#current) rule.recipe.push(command);
  }

  /** Each variable may have one value: otherwise its value would depend on the order of use. */
  #assign(name: string, value: string, line: string): void {
    if (this.variables.has(name) || /[`]/.test(value) || line.includes('?=')) this.isWhole = false;
    if (!this.variables.has(name)) this.variables.set(name, this.#expanded(value));
  }

  #header(line: string): void {
    const header = /^([^:=\s][^:=]*)::?([^=:]*)$/.exec(line);
    const [needs = '', inline] = (header?.[2] ?? '').split(';', 2);
    const names = this.#words(header?.[1] ?? '');
    if (!header || inline !== undefined || this.rules.size > MAX_RULES) this.isWhole = false;
    if (this.rules.size > MAX_RULES) return;
    const needed = this.#words(needs);
    const isPhony = names.includes('.PHONY');
    if (isPhony) for (const name of needed) this.#phony.add(name);
    this.#current = isPhony ? [] : names.map((name) => this.#rule(name, needed));
    if (inline !== undefined) for (const rule of this.#current) rule.recipe.push(this.#expanded(inline));
  }

  #rule(name: string, needed: readonly string[]): Rule {
    const rule = this.rules.get(name) ?? { needs: [], recipe: [] };
    rule.needs.push(...needed);
    this.rules.set(name, rule);
    return rule;
  }

  collect(goals: readonly string[]): readonly string[] {
    const done = new Set<string>();
    const out: string[] = [];
    const open = [...goals];
    if (goals.length === 0) this.isWhole = false;
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (done.has(name)) continue;
      done.add(name);
      const target = name;
      const rule = this.rules.get(target);
      // Without a recipe, make looks for a builtin rule.
      if (!rule && SOURCE.test(target) && !goals.includes(target)) continue;
      if (!rule || (rule.recipe.length === 0 && !this.#phony.has(target))) this.isWhole = false;
      out.unshift(...(rule?.recipe ?? []).map((line) => line.replaceAll('\0@', target)));
      open.push(...(rule?.needs ?? []));
    }
    return out;
  }

  #words(text: string): readonly string[] {
    const found = this.#expanded(text);
    if (/[*?[\0$]/.test(found)) this.isWhole = false;
    return found.split(/\s+/).filter((word) => word !== '');
  }

  /** Expands variables; `$@` becomes a placeholder for the target, and an unknown variable a shell variable. */
  #expanded(text: string): string {
    return text.replace(/\$(\$|@|\((\w+)\)|\{(\w+)\}|.|$)/g, (_, all: string, round?: string, curly?: string) => {
      if (all === '$') return '$';
      if (all === '@') return '\0@';
      const name = round ?? curly ?? '';
      const value = this.variables.get(name);
      if (value === undefined) this.isWhole = false;
      return value ?? BUILT_IN[name] ?? `\${${name || 'UNKNOWN'}}`;
    });
  }
}

/** Build tools whose input contains commands. */
export const BUILD: Handlers = {
  make(call) {
    if (call.value('-f', '--file', '--makefile') === '-' && call.io.stdin !== undefined)
      runRecipes(call, call.io.stdin);
    for (const text of call.options.values.get('--eval') ?? []) runRecipes(call, text);
    for (const { text } of call.operands)
      if (/^SHELL=/.test(text)) call.machine.note(unknown('changes the shell of make', { unresolved: true }));
    return undefined;
  },
};

/** Judges the recipe lines of a makefile given as text. */
function runRecipes(call: Call, text: string): void {
  for (const line of text.split('\n')) {
    const recipe = /^\t[@+-]*(.*)$/.exec(line)?.[1] ?? /^[^#=\n]*:[^=;\n]*;\s*[@+-]*(.*)$/.exec(line)?.[1];
    const shell = /\$\(shell\s+([^)]*)\)/.exec(line)?.[1];
    if (recipe) runCode(call.machine, recipe.replaceAll('$$', '$'));
    if (shell) runCode(call.machine, shell);
  }
}
