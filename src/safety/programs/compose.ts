/** Finds what a compose file gives its services of this machine, by its lines, without a full YAML parser. */
import { dirname } from 'node:path';
import type { Call } from './call.ts';
import { textOf } from './project.ts';

/** Paths with which a container has the whole machine: top directories, and sockets that grant rights. */
export const OF_THE_MACHINE = String.raw`\/(((etc|root|home|run|var\/run|proc|sys|boot|dev)\/?)?|etc\/(g?shadow|sudoers|cron|pam\.d|ssh(?!\/ssh_(known|config))|security|systemd|init\.d|profile|ld\.so|kubernetes|ssl\/private)[^:,\s]*|root\/\.ssh[^:,\s]*|var\/lib\/(docker|kubelet)\/?)`;
const HOME = String.raw`(~|\$HOME|\$\{HOME[^}]*\}|\/(home|Users)\/[^\/\s:"',]+)\/?`;
const HOST = String.raw`["']?(${OF_THE_MACHINE}|${HOME}|[^\s"',:]*\/docker\.sock)`;
/** The short form of a mount: `- /:/host`, also in brackets. */
const SHORT = new RegExp(String.raw`(^\s*-\s*|[[,]\s*)${HOST}:["']?[\/$]`);
/** The long form of a mount: `source: /`, or `device` in a named volume. */
const LONG = new RegExp(String.raw`(^|[\s{,-])(source|src|device)\s*:\s*${HOST}["']?\s*([,}#]|$)`);
const RIGHTS = /(^|[\s{,-])(privileged\s*:\s*["']?(true|yes|on)\b|(pid|ipc|userns_mode)\s*:\s*["']?host\b)/;

/** The default compose files, each with its override file. */
const DEFAULT_FILES = [
  ['compose.yaml', 'compose.override.yaml', 'compose.override.yml'],
  ['compose.yml', 'compose.override.yml', 'compose.override.yaml'],
  ['docker-compose.yml', 'docker-compose.override.yml', 'docker-compose.override.yaml'],
  ['docker-compose.yaml', 'docker-compose.override.yaml', 'docker-compose.override.yml'],
] as const;
/** How many directories, from the working directory upwards, are searched for a compose file. */
const MAX_DIRECTORIES = 3;

/** Returns whether a call of compose gives services the machine: its root, the user's home, or docker's socket. */
export function startsWithMachine(call: Call): boolean {
  const path = call.program === 'docker-compose' ? ['compose', ...(call.reading?.path ?? [])] : call.reading?.path;
  if (path?.[0] !== 'compose' || !/^(up|run|create|start|watch)$/.test(path[1] ?? '')) return false;
  return composeFiles(call).some(givesMachine);
}

/** Returns whether a compose file gives a service the machine. */
export function givesMachine(text: string): boolean {
  return text.split('\n').some((line) => {
    const said = line.replace(/(^|\s)#.*$/, '');
    return SHORT.test(said) || LONG.test(said) || RIGHTS.test(said);
  });
}

function composeFiles(call: Call): readonly string[] {
  const named = (call.reading?.given ?? []).flatMap(({ name, value }) =>
    name === '-f' || name === '--file' ? (value ?? []) : [],
  );
  if (named.length > 0) return named.flatMap((name) => (name === '-' ? call.io.stdin : textOf(call, name)) ?? []);
  // All files are requested at once: those not read yet are read before the next round.
  const found = directoriesUp(call.machine.scope.cwd ?? '/').flatMap((directory) =>
    DEFAULT_FILES.map(([name, ...beside]) => ({
      text: textOf(call, `${directory}/${name}`),
      beside: beside.map((file) => `${directory}/${file}`),
    })),
  );
  const first = found.find(({ text }) => text !== null);
  if (typeof first?.text !== 'string') return [];
  return [first.text, ...first.beside.flatMap((file) => textOf(call, file) ?? [])];
}

function directoriesUp(from: string): readonly string[] {
  const all = [from];
  while (all.length < MAX_DIRECTORIES) all.push(dirname(all.at(-1) ?? '/'));
  return [...new Set(all)];
}
