/** Starts the user's own shell on a host, in a private directory there. */
import type { RemoteShell, ShellFiles } from '../../contracts/machine.ts';
import { shellQuote } from '../../text/shell.ts';
import type { Connection, HostFacts } from './connection.ts';
import { parseNames } from './facts.ts';
import type { AskHost } from './files.ts';
import type { Launch } from './helper.ts';

/** The supported login shells; instead of any other, bash runs, and without bash sh. */
const DRIVEN = /\/(?:bash|zsh|fish|dash|ash)$/;
const SH = /\/sh$/;
const PLAIN = /\/(?:dash|ash|sh)$/;
/** How many names are offered for a word. */
const MAX_NAMES = 200;
const MAX_PROGRAMS = 20_000;

/** @param companion how to start a long-lived child of the program */
export function createRemoteShell(
  connection: Connection,
  facts: HostFacts,
  companion: (argv: readonly string[]) => Launch,
): RemoteShell {
  const ask = (code: string) => connection.ask(code);
  let shells = 0;
  const sh = SH.test(facts.shell) ? facts.shell : '/bin/sh';
  const program = DRIVEN.test(facts.shell) ? facts.shell : (facts.bash ?? sh);
  return {
    host: connection.host,
    program,
    instead: program === facts.shell ? undefined : facts.shell,
    plain: PLAIN.test(program),
    home: facts.home,
    env: facts.zdotdir === undefined ? {} : { ZDOTDIR: facts.zdotdir },
    async files() {
      shells += 1;
      const path = `${facts.folder}/shell-${Date.now()}-${shells}`;
      const swept = sweep(facts.folder);
      connection.eachHelper(swept);
      // Until the shell runs, the directory belongs to the helper.
      const made = await ask(`${swept}; mkdir -m 700 ${path} && echo $$ >${path}/pid`);
      if (made?.exit !== 0) throw new Error(`no directory can be made on ${connection.host}`);
      return filesThere(ask, path);
    },
    async starts(launch, { path, write }, env) {
      const set = Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}; `);
      await write(
        'go',
        `echo $$ >${path}/pid; ${set.join('')}exec /bin/sh -c ${shellQuote(launch)} ${shellQuote(program)} ${path}\n`,
      );
      // Each process replaces itself by the next, so that the shell leads the terminal's session: then it gets the
      // hang-up, and ends its children as usual.
      await write(
        'start',
        `/usr/bin/env PATH=/usr/bin:/bin tty >${path}/tty\nexec ${shellQuote(program)} -l -c 'exec /bin/sh ${path}/go'\n`,
      );
      return companion(connection.session(`exec /bin/sh ${path}/start`, true));
    },
    modes: ({ path }) => readRemoteModes(ask, `cat ${path}/tty`),
    async isInFront({ path }) {
      return /^\s*(\d+)\s+\1\s*$/.test((await ask(groupsCode(path)))?.text ?? '');
    },
    signal({ path }, name) {
      const front = `set -- $(${groupsCode(path)}); [ "$1" -gt 1 ] && [ "$1" != "$2" ]`;
      void ask(`(${front} && kill -${name} -- "-$1")`);
    },
    async programs() {
      const answer = await ask(`(IFS=:; for d in $LOGIN_PATH; do ls "$d"; done) | sort -u | head -n ${MAX_PROGRAMS}`);
      return new Set((answer?.text ?? '').split('\n', MAX_PROGRAMS));
    },
    async filesLike(start, directory) {
      const pattern = `set +f; IFS=; cd -- ${shellQuote(directory)} || exit_=1; p=${shellQuote(start)}`;
      const show = `n=0; for f in "$p"*; do [ $n -lt ${MAX_NAMES} ] || break; n=$((n+1)); [ -e "$f" ] || continue; [ -d "$f" ] && f=$f/; printf '%s\\0' "$f"; done`;
      const answer = await ask(`(${pattern}; [ -z "\${exit_-}" ] && { ${show}; })`);
      return parseNames(answer?.text ?? '', MAX_NAMES).filter((name) => !/[\u0000-\u001f\u007f-\u009f]/.test(name));
    },
    // A command may have the same exit code as a lost connection.
    isLost: async (code) => code >= 128 && !(await connection.answers()),
  };
}

/**
 * Returns code that prints the foreground group of a shell's terminal and the shell's own, from `/proc` if possible:
 * busybox `ps` shows neither. A program's name may contain blanks and brackets; the fields start after the last
 * bracket.
 */
export function groupsCode(path: string): string {
  const told = `set -- $(sed 's/.*) //' "/proc/$p/stat") && echo "$6 $3"`;
  return `(p=$(cat ${path}/pid); { [ -r "/proc/$p/stat" ] && ${told}; } || ps -o tpgid= -o pgid= -p "$p")`;
}

/**
 * Returns code for the helper that removes the directories of ended shells: now, and when the helper ends with its
 * connection, even in the middle of an answer. A shell may take a moment to end then.
 */
function sweep(folder: string): string {
  const all = `${folder}/shell-*`;
  // If a last child of the shell still writes in the directory, the next check removes it.
  const those = (ended: string) =>
    `for d in ${all}; do p=$(cat "$d/pid") && [ -n "$p" ] && ${ended} && { rm -rf "$d" || echo ended >"$d/pid"; }; done`;
  const now = those('! kill -0 "$p"');
  // A shell that is still starting gets some seconds more: the helper can end before its connection.
  const last = those('{ ! kill -0 "$p" || { [ "$p" = $$ ] && [ $n -ge 5 ]; }; }');
  const later = `for n in 1 1 1 2 5 10 10; do sleep $n; ${last}; ls ${all}/pid || break; done >/dev/null 2>&1`;
  return `${now}; trap ${shellQuote(later)} EXIT; trap exit HUP PIPE TERM`;
}

function filesThere(ask: Connection['ask'], path: string): ShellFiles {
  const at = (name: string) => shellQuote(`${path}/${name}`);
  return {
    path,
    async write(name, text) {
      const answer = await ask(`umask 077; printf %s ${shellQuote(text.replaceAll('\0', ''))} >${at(name)}`);
      if (answer?.exit !== 0) throw new Error('a file could not be written there');
    },
    async take(name) {
      const answer = await ask(`cat ${at(name)} && rm -f ${at(name)}`);
      return answer?.exit === 0 ? answer.text : undefined;
    },
    discard(name) {
      void ask(`rm -f ${at(name)}`);
    },
    feed(line) {
      void ask(`[ ! -p ${at('lines')} ] || printf %s ${shellQuote(line)} 1<>${at('lines')}`);
    },
    remove() {
      void ask(`rm -rf ${shellQuote(path)}`);
    },
  };
}

// The input modes of the terminal on the host: the local one is raw and does not show them.

/** `echo`: typed text is shown. `lines`: input is read line by line. */
export type RemoteModes = { readonly echo: boolean; readonly lines: boolean };

const ORDINARY: RemoteModes = { echo: true, lines: true };

/**
 * Returns ordinary modes if unknown. Never rejects.
 * @param device code that prints the terminal's path
 */
export async function readRemoteModes(ask: AskHost, device: string): Promise<RemoteModes> {
  const answer = await ask(`t=$(${device}); stty -a -F "$t" || stty -a -f "$t"`);
  if (answer?.exit !== 0) return ORDINARY;
  const isOff = (mode: string) => new RegExp(`(?:^|\\s)-${mode}(?:\\s|;|$)`).test(answer.text);
  return { echo: !isOff('echo'), lines: !isOff('icanon') };
}

/**
 * Returns code that prints the path of a process's terminal.
 * @param file contains its process id
 */
export function terminalOf(file: string): string {
  return `printf /dev/%s $(ps -o tty= -p "$(cat ${shellQuote(file)})")`;
}
