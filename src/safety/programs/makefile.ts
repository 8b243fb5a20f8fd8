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
  const rules = new Map<string, Rule>();
  const variables = new Map<string, string>();
  const phony = new Set<string>();
  let current: Rule[] = [];
  for (const line of text.replace(/\\\r?\n\s*/g, ' ').split(/\r?\n/)) {
    if (line.startsWith('\t')) {
      if (/^\t[@\-+\s]*$/.test(line) || /^\t\s*#/.test(line)) continue;
      const command = expanded(line.replace(/^\t[@\-+\s]*/, ''), variables);
      if (command === undefined || current.length === 0) return undefined;
      for (const rule of current) rule.recipe.push(command);
      continue;
    }
    const plain = line.replace(/(^|\s)#.*$/, '').trimEnd();
    if (plain.trim() === '') continue;
    if (BEYOND.test(plain)) return undefined;
    const assigned = /^([A-Za-z_]\w*|\.DEFAULT_GOAL)\s*(?:\?|:|\+)?=\s*(.*)$/.exec(plain);
    if (assigned) {
      // One value each: what it has where it is used hangs on the order otherwise.
      const [, name = '', value = ''] = assigned;
      if (variables.has(name) || /[`]/.test(value) || plain.includes('?=')) return undefined;
      const known = expanded(value, variables);
      if (known === undefined) return undefined;
      variables.set(name, known);
      continue;
    }
    const header = /^([^:=\s][^:=]*):([^=]*)$/.exec(plain);
    if (!header) return undefined;
    const names = words(header[1], variables);
    const [needs, inline] = (header[2] ?? '').split(';', 2);
    const needed = words(needs, variables);
    if (!names || !needed || inline !== undefined || rules.size > MAX_RULES) return undefined;
    if (names.includes('.PHONY')) {
      for (const name of needed) phony.add(name);
      current = [];
      continue;
    }
    current = names.map((name) => {
      const rule = rules.get(name) ?? { needs: [], recipe: [] };
      rule.needs.push(...needed);
      rules.set(name, rule);
      return rule;
    });
  }
  // A makefile that has a rule of its own is made anew before anything else, even by `make -n`.
  if ([...rules.keys()].some((name) => /(^|\/)(GNUm|[Mm])akefile$/.test(name))) return undefined;
  const goal = variables.get('.DEFAULT_GOAL') ?? rules.keys().next().value;
  const goals = targets.length > 0 ? targets : goal === undefined ? [] : [goal];
  return goals.length === 0 ? undefined : collect(goals, rules, phony);
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
