import type { Field } from '../shell/machine.ts';
import { UNKNOWN } from '../shell/taint.ts';
import { harmless, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { forAll, type Handlers } from './handler.ts';

const DOCKER_VALUES =
  /^(-H|--host|--context|--config|-l|--log-level|-e|--env|-v|--volume|-p|--publish|--name|-w|--workdir|-u|--user|--entrypoint|--network|--net|--mount|--label|--env-file|--platform|-m|--memory|--cpus|--hostname|-h|--add-host|--cap-add|--cap-drop|--device|--restart|--shm-size|--ulimit|--tmpfs|--gpus|--ipc|--pid|--cidfile|--index|--detach-keys|--log-driver|--log-opt|--security-opt|--dns|--expose|--pull|--stop-signal|--health-cmd|--userns|--uts|--volumes-from|--link|--runtime|--annotation|-f|--file|--project-name|--profile|--project-directory|--env-file)$/;
const KUBECTL_VALUES =
  /^(-n|--namespace|--context|--cluster|--kubeconfig|-c|--container|--image|--as|--user|-s|--server|--env|--overrides|--restart|-l|--labels|--port|--target|--profile)$/;

const DECIDES =
  /^(PATH|LD_\w+|BASH_ENV|ENV|SHELLOPTS|NODE_OPTIONS|PYTHON(PATH|STARTUP|HOME)|PERL5(OPT|LIB)|RUBY(OPT|LIB)|JAVA_TOOL_OPTIONS|GIT_(?!AUTHOR|COMMITTER)\w+)=/;

/** Containers: what runs inside one is judged as if it ran outside; what it holds may matter as much. */
export const CONTAINERS: Handlers = {
  ...forAll('docker docker-compose', (call) => {
    const at = subcommand(call.args, DOCKER_VALUES, /^(container|compose|sandbox)$/);
    const sub = call.args[at]?.text ?? '';
    if (sub !== 'exec' && sub !== 'run') return undefined;
    return runInside(call, at, DOCKER_VALUES, 1);
  }),
  ...forAll('kubectl oc k3s microk8s', (call) => {
    const at = subcommand(call.args, KUBECTL_VALUES, /^kubectl$/);
    const sub = call.args[at]?.text ?? '';
    if (sub !== 'exec' && sub !== 'run' && sub !== 'rsh' && sub !== 'debug') return undefined;
    const dashes = call.args.findIndex((field) => field.text === '--');
    if (dashes >= 0) return inside(call, call.args.slice(dashes + 1));
    return runInside(call, at, KUBECTL_VALUES, 1);
  }),
};

/** Index of the subcommand, past global options and group words. */
function subcommand(args: readonly Field[], values: RegExp, group: RegExp): number {
  let at = 0;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (text.startsWith('-')) {
      if (values.test(text)) at++;
    } else if (!group.test(text)) break;
  }
  return at;
}

function runInside(call: Call, from: number, values: RegExp, skip: number): string {
  const { args, machine } = call;
  let left = skip;
  let at = from + 1;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (text.startsWith('-') && text !== '-') {
      const variable = variableSet(text, args[at + 1]?.text);
      if (DECIDES.test(variable ?? ''))
        machine.note(unknown('sets a variable in the container that decides what runs'));
      if (values.test(text) || /^-[a-z]+[evpwulm]$/.test(text)) at++;
    } else if (left-- <= 0) break;
  }
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
