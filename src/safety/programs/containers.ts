import type { Field } from '../shell/machine.ts';
import { UNKNOWN } from '../shell/taint.ts';
import { harmless, unknown } from '../verdict.ts';
import { type Call, forAll, type Handlers } from './call.ts';

import { recordOf } from './records/index.ts';

/** Options that take a value on the way to the command inside, as the records have them. */
function valuesOf(program: string, subcommands: readonly string[]): ReadonlySet<string> {
  const record = recordOf(program);
  const levels = [record, ...subcommands.map((name) => record?.subs?.get(name))];
  const options = levels.flatMap((level) => [...(level?.options ?? [])]);
  return new Set(options.flatMap(([name, { value }]) => (value === 'required' ? [name] : [])));
}

const DOCKER_VALUES = once(() => valuesOf('docker', ['run', 'compose']));
const KUBECTL_VALUES = once(() => valuesOf('kubectl', ['exec', 'run', 'debug']));

/** Made when first needed: the guard starts for every command. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const DECIDES =
  /^(PATH|LD_\w+|BASH_ENV|ENV|SHELLOPTS|NODE_OPTIONS|PYTHON(PATH|STARTUP|HOME)|PERL5(OPT|LIB)|RUBY(OPT|LIB)|JAVA_TOOL_OPTIONS|GIT_(?!AUTHOR|COMMITTER)\w+)=/;

/** Containers: what runs inside one is judged as if it ran outside; what it holds may matter as much. */
export const CONTAINERS: Handlers = {
  ...forAll('docker docker-compose', (call) => {
    const at = subcommand(call.args, DOCKER_VALUES(), /^(container|compose|sandbox)$/);
    const sub = call.args[at]?.text ?? '';
    if (sub !== 'exec' && sub !== 'run') return undefined;
    return runInside(call, at, DOCKER_VALUES(), true);
  }),
  ...forAll('kubectl oc k3s microk8s', (call) => {
    const at = subcommand(call.args, KUBECTL_VALUES(), /^kubectl$/);
    const sub = call.args[at]?.text ?? '';
    if (sub !== 'exec' && sub !== 'run' && sub !== 'rsh' && sub !== 'debug') return undefined;
    const dashes = call.args.findIndex((field) => field.text === '--');
    if (dashes >= 0) return inside(call, call.args.slice(dashes + 1));
    return runInside(call, at, KUBECTL_VALUES(), false);
  }),
};

/** Index of the subcommand, past global options and group words. */
function subcommand(args: readonly Field[], values: ReadonlySet<string>, group: RegExp): number {
  let at = 0;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (text.startsWith('-')) {
      if (values.has(text)) at++;
    } else if (!group.test(text)) break;
  }
  return at;
}

/** Where the command inside begins. `ends`: options end at the first operand, the image or container. */
function commandAt({ args, machine }: Call, from: number, values: ReadonlySet<string>, ends: boolean): number {
  let named = false;
  let at = from;
  for (; at < args.length && !(named && ends); at++) {
    const text = args[at]?.text ?? '';
    if (text.startsWith('-') && text !== '-') {
      const variable = variableSet(text, args[at + 1]?.text);
      if (DECIDES.test(variable ?? ''))
        machine.note(unknown('sets a variable in the container that decides what runs'));
      if (values.has(text) || (/^-[a-z]{2,}$/.test(text) && values.has(`-${text.at(-1)}`))) at++;
    } else if (named) break;
    else named = true;
  }
  return at;
}

function runInside(call: Call, from: number, values: ReadonlySet<string>, ends: boolean): string {
  const { args, machine } = call;
  const at = commandAt(call, from + 1, values, ends);
  const rest = args.slice(at);
  const entrypoint = entrypointIn(args.slice(from + 1, at));
  if (entrypoint) return inside(call, [{ text: entrypoint, glob: false }, ...rest]);
  if (rest.length > 0) return inside(call, rest);
  if (call.io.stdin !== undefined && call.io.stdin !== '') return inside(call, [{ text: 'sh', glob: false }]);
  machine.note(args[from]?.text === 'exec' ? unknown('starts a session') : harmless('starts a container'));
  return UNKNOWN;
}

/** `-e A=b`, `-eA=b`, `--env=A=b`. */
function variableSet(text: string, next: string | undefined): string | undefined {
  return /^(-\w*e|--env)$/.test(text) ? next : /^(?:-\w*e=?|--env=)(\w+=[\s\S]*)$/.exec(text)?.[1];
}

/** The program that takes the place of the image's own; the last one given. */
function entrypointIn(own: readonly Field[]): string | undefined {
  const at = own.findLastIndex(({ text }) => text === '--entrypoint' || text.startsWith('--entrypoint='));
  return own[at]?.text === '--entrypoint' ? own[at + 1]?.text : own[at]?.text.slice(13);
}

function inside(call: Call, fields: readonly Field[]): string {
  const { machine } = call;
  return machine.inSubshell(() => {
    machine.scope.leaveFor('container');
    return machine.runFields(fields, call.io);
  });
}
