/** What `make` would run, of makefiles plain enough to say so for certain. */

type Rule = { readonly needs: string[]; readonly recipe: string[] };

/** Directives, functions and variables by which a makefile does more than its rules say. */
const BEYOND =
  /^\s*(-?include|sinclude|define|endef|export|unexport|override|private|vpath|undefine|load|ifeq|ifneq|ifdef|ifndef|else|endif)\b|\$[({](?!\w+[)}])|!=|::|%|^\s*(SHELL|MAKEFLAGS|GNUMAKEFLAGS|VPATH|\.SHELLFLAGS)\b|^\.(?!PHONY\s*:|DEFAULT_GOAL\s*:?=)/;
/** Files that make would not make by a rule of its own. */
const SOURCE = /\.(h|hpp|py|js|mjs|ts|tsx|json|txt|md|html|css|toml|ya?ml|lock|svg|png)$/;
const MAX_RULES = 200;

/**
 * The recipe lines that `make TARGETS` may run, in the order of the rules; without a target the first one.
 * Undefined where the file does more than plain rules and plain variables can say.
 */
export function recipesOf(text: string, targets: readonly string[]): readonly string[] | undefined {
  const makefile = new Makefile();
  for (const line of text.replace(/\\\r?\n\s*/g, ' ').split(/\r?\n/)) if (!makefile.read(line)) return undefined;
  const { rules, variables, phony } = makefile;
  // A makefile that has a rule of its own is made anew before anything else, even by `make -n`.
  if ([...rules.keys()].some((name) => /(^|\/)(GNUm|[Mm])akefile$/.test(name))) return undefined;
  const goal = variables.get('.DEFAULT_GOAL') ?? rules.keys().next().value;
  const goals = targets.length > 0 ? targets : goal === undefined ? [] : [goal];
  return goals.length === 0 ? undefined : collect(goals, rules, phony);
}

/** The rules of a makefile, read line by line. */
class Makefile {
  readonly rules = new Map<string, Rule>();
  readonly variables = new Map<string, string>();
  readonly phony = new Set<string>();
  /** The rules that the next line of a recipe belongs to. */
  private current: Rule[] = [];

  /** Takes in one line; false: it says more than plain rules and plain variables do. */
  read(line: string): boolean {
    if (line.startsWith('\t')) return this.recipe(line);
    const plain = line.replace(/(^|\s)#.*$/, '').trimEnd();
    if (plain.trim() === '') return true;
    if (BEYOND.test(plain)) return false;
    const assigned = /^([A-Za-z_]\w*|\.DEFAULT_GOAL)\s*(?:\?|:|\+)?=\s*(.*)$/.exec(plain);
    return assigned ? this.assign(assigned[1] ?? '', assigned[2] ?? '', plain) : this.header(plain);
  }

  private recipe(line: string): boolean {
    if (/^\t[@\-+\s]*$/.test(line) || /^\t\s*#/.test(line)) return true;
    const command = expanded(line.replace(/^\t[@\-+\s]*/, ''), this.variables);
    if (command === undefined || this.current.length === 0) return false;
    for (const rule of this.current) rule.recipe.push(command);
    return true;
  }

  /** One value each: what it has where it is used hangs on the order otherwise. */
  private assign(name: string, value: string, line: string): boolean {
    if (this.variables.has(name) || /[`]/.test(value) || line.includes('?=')) return false;
    const known = expanded(value, this.variables);
    if (known !== undefined) this.variables.set(name, known);
    return known !== undefined;
  }

  private header(line: string): boolean {
    const header = /^([^:=\s][^:=]*):([^=]*)$/.exec(line);
    if (!header) return false;
    const names = words(header[1], this.variables);
    const [needs, inline] = (header[2] ?? '').split(';', 2);
    const needed = words(needs, this.variables);
    if (!names || !needed || inline !== undefined || this.rules.size > MAX_RULES) return false;
    const isPhony = names.includes('.PHONY');
    if (isPhony) for (const name of needed) this.phony.add(name);
    this.current = isPhony ? [] : names.map((name) => this.rule(name, needed));
    return true;
  }

  private rule(name: string, needed: readonly string[]): Rule {
    const rule = this.rules.get(name) ?? { needs: [], recipe: [] };
    rule.needs.push(...needed);
    this.rules.set(name, rule);
    return rule;
  }
}

function collect(
  goals: readonly string[],
  rules: ReadonlyMap<string, Rule>,
  phony: ReadonlySet<string>,
): readonly string[] | undefined {
  const done = new Set<string>();
  const out: string[] = [];
  const open = [...goals];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (done.has(name)) continue;
    done.add(name);
    const rule = rules.get(name);
    // Without a recipe make looks for a rule of its own.
    if (!rule && SOURCE.test(name) && !goals.includes(name)) continue;
    if (!rule || (rule.recipe.length === 0 && !phony.has(name))) return undefined;
    out.unshift(...rule.recipe.map((line) => line.replaceAll('\0@', name ?? '')));
    open.push(...rule.needs);
  }
  return out;
}

function words(text: string | undefined, variables: ReadonlyMap<string, string>): readonly string[] | undefined {
  const found = expanded(text ?? '', variables);
  return found === undefined || /[*?[\0]/.test(found) ? undefined : found.split(/\s+/).filter((word) => word !== '');
}

/** With its variables put in; `$@` stays a mark for the target. Undefined: one that is not known. */
function expanded(text: string, variables: ReadonlyMap<string, string>): string | undefined {
  let known = true;
  const out = text.replace(/\$(\$|@|\((\w+)\)|\{(\w+)\}|.|$)/g, (_, all: string, round?: string, curly?: string) => {
    if (all === '$') return '$';
    if (all === '@') return '\0@';
    const value = variables.get(round ?? curly ?? '');
    if (value === undefined) known = false;
    return value ?? '';
  });
  return known ? out : undefined;
}
