/** The only module here that loads ajv; imported with the first tool call, not at start. */
import { createContext, Script } from 'node:vm';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Milliseconds for compiling a schema and for one check: a server's pattern can be made to run forever. */
const CHECK_TIMEOUT_MS = 250;
const MAX_PROBLEM_CHARS = 1000;
const MAX_ERRORS = 10;

const compiled = new WeakMap<JsonSchema, ValidateFunction | null>();

/**
 * Returns what is wrong with arguments by a schema of aish-tui's own, in words for the model; undefined if they are
 * valid.
 */
export function problemOf(schema: JsonSchema, args: unknown): string | undefined {
  return look(schema, args, (work) => work());
}

/**
 * The same for a foreign schema. An unusable schema, or a check that takes too long, finds nothing: then the receiver
 * must check the arguments.
 */
export function foreignProblemOf(schema: JsonSchema, args: unknown): string | undefined {
  return look(schema, args, inTime);
}

/** Whether a schema has turned out to be unusable; known after its first use. */
export function isUseless(schema: JsonSchema): boolean {
  return compiled.get(schema) === null;
}

type Attempt = <T>(work: () => T) => T | undefined;

function look(schema: JsonSchema, args: unknown, attempt: Attempt): string | undefined {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = prepare(schema, attempt);
    compiled.set(schema, validate);
  }
  if (!validate) return undefined;
  const check = validate;
  if (attempt(() => check(args) === true) !== false) return undefined;
  const text = new Ajv().errorsText(check.errors?.slice(0, MAX_ERRORS), { dataVar: 'arguments' });
  return text.length > MAX_PROBLEM_CHARS ? `${text.slice(0, MAX_PROBLEM_CHARS)}…` : text;
}

/**
 * Returns the validator for the schema's dialect; without one the newest, which MCP assumes, then the previous
 * default.
 */
function prepare({ $schema, ...schema }: JsonSchema, attempt: Attempt): ValidateFunction | null {
  const named = typeof $schema === 'string' ? $schema : '';
  const dialects = /draft-0[67]/.test(named) ? [Ajv] : /2019-09/.test(named) ? [Ajv2019] : [Ajv2020, Ajv];
  for (const Dialect of dialects) {
    const ajv = new Dialect({ strict: false, logger: false, validateFormats: true });
    formats.default(ajv, { mode: 'fast' });
    // Compiles the dialect itself first: that time does not count for the schema.
    void ajv.validateSchema({});
    const validate = attempt(() => ajv.compile(schema));
    if (validate) return validate;
  }
  return null;
}

const context = createContext({});
const script = new Script('work()');

/** Runs `work` within the time limit, including regular expressions; undefined if it did not finish. */
function inTime<T>(work: () => T): T | undefined {
  context.work = work;
  try {
    return script.runInContext(context, { timeout: CHECK_TIMEOUT_MS }) as T;
  } catch {
    return undefined;
  } finally {
    context.work = undefined;
  }
}
