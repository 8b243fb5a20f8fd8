/**
 * `aish-tui run --hosts`: one goal on many machines, without a screen. Without a person no question is answered with
 * yes.
 */
import type { App } from '../commands/app.ts';
import { fleetTable, groupLines, namesOf, outputClasses } from '../commands/fleet-table.ts';
import type { FleetRow, FleetRun, HaltGroup } from '../contracts/fleet.ts';
import { visible } from '../text/sanitize.ts';
import { EXIT } from './exit-codes.ts';
import type { HaltPolicy, HeadlessOptions } from './headless.ts';
import { escapeJson } from './print.ts';
import type { FleetOptions } from './program.ts';

/** Runs the fleet to its end and returns the exit code for its result. */
export async function runFleet(
  app: App,
  goal: string,
  { resume, hosts = '', ...wish }: FleetOptions,
  options: HeadlessOptions,
): Promise<number> {
  for (const text of app.notices) options.err(`aish-tui: ${text}\n`);
  const fleet = await (resume === undefined ? app.fleets.start({ ...wish, goal, hosts }) : app.fleets.resume());
  if ('problem' in fleet) {
    options.err(`aish-tui: ${fleet.problem}\n`);
    return EXIT.usage;
  }
  const printer = new FleetPrinter(app, fleet, options);
  let ended: number | undefined;
  const end = (code: number, why: string) => {
    // A second signal does not wait for hosts that don't answer.
    if (ended !== undefined && code !== EXIT.budget) process.exit(code);
    ended ??= code;
    fleet.stop(why);
  };
  process.on('SIGINT', () => end(EXIT.interrupted, 'interrupted'));
  process.on('SIGTERM', () => end(EXIT.terminated, 'terminated'));
  const { seconds } = options;
  if (seconds !== undefined)
    setTimeout(() => end(EXIT.budget, `the time is up (${seconds} s)`), seconds * 1000).unref();
  await fleet.ended;
  printer.end();
  return ended ?? exitCodeOf(fleet.rows());
}

/** Prints each host's end and each question once, and answers the questions by policy. */
class FleetPrinter {
  readonly #app: App;
  readonly #fleet: FleetRun;
  readonly #options: HeadlessOptions;
  readonly #told = new Set<string>();

  constructor(app: App, fleet: FleetRun, options: HeadlessOptions) {
    this.#app = app;
    this.#fleet = fleet;
    this.#options = options;
    const hosts = fleet.rows().map(({ host }) => host);
    const session = app.info().sessionId;
    if (options.json) this.#line({ kind: 'fleet', session, goal: fleet.goal, hosts });
    else {
      options.out(`[fleet] goal: ${visible(this.#reveal(fleet.goal))} (${namesOf(hosts)})\n`);
      options.err(`[fleet] aish-tui run --resume ${session} goes on with it\n`);
    }
    fleet.subscribe(() => this.#look());
    this.#look();
  }

  end(): void {
    this.#look();
    const rows = this.#fleet.rows();
    const counts = Object.fromEntries(
      [...Map.groupBy(rows, ({ status }) => status)].map(([name, all]) => [name, all.length]),
    );
    if (this.#options.json)
      this.#line({ kind: 'fleetEnded', counts, outputs: Object.fromEntries(outputClasses(rows)) });
    else this.#options.out(`${this.#reveal(fleetTable(rows)).join('\n')}\n`);
  }

  #look(): void {
    for (const row of this.#fleet.rows()) if (row.ended && !this.#told.has(row.host)) this.#tellHost(row);
    const answer = answerOf(this.#options.onHalt);
    const groups = this.#fleet.questions().filter(({ digest }) => !this.#told.has(digest));
    if (groups.length === 0) return;
    if (this.#options.json) this.#line({ kind: 'fleetHalts', answer, groups: groups.map(jsonOf) });
    for (const group of groups) {
      this.#told.add(group.digest);
      const [first, ...rest] = groupLines(group);
      this.#options.err([`HALT ${first} -> ${answer} (no person to ask)`, ...rest, ''].join('\n'));
    }
    // Deferred, because the change that raised the questions is still being processed.
    queueMicrotask(() => {
      for (const { digest, hosts } of groups) this.#fleet.answer(digest, hosts, answer);
    });
  }

  #tellHost(row: FleetRow): void {
    this.#told.add(row.host);
    const { host, status, reason, milliseconds, commands, output, said } = row;
    if (this.#options.json)
      this.#line({ kind: 'fleetHost', host, status, reason, milliseconds, commands, output, said });
    else this.#options.err(`[fleet] ${host}: ${status}${reason === '' ? '' : ` (${reason})`}\n`);
  }

  #line(line: object): void {
    this.#options.out(`${escapeJson(JSON.stringify(this.#app.engine.services.secrets.hide(line)))}\n`);
  }

  #reveal<T>(value: T): T {
    return this.#app.engine.services.secrets.reveal(value);
  }
}

/** Returns the answer for a HALT by policy. Trials are impossible on a host, so the policy `try` aborts as well. */
function answerOf(policy: HaltPolicy): 'skip' | 'abort' {
  return policy === 'skip' ? 'skip' : 'abort';
}

function jsonOf({ facts, ...group }: HaltGroup): object {
  const { command, cwd, mode, root, opinion, targets = null } = facts;
  return { ...group, command, cwd, mode, root, opinion, targets };
}

/** Returns the exit code of the worst result of any host. */
function exitCodeOf(rows: readonly FleetRow[]): number {
  const has = (status: string) => rows.some((row) => row.status === status);
  if (rows.every(({ status }) => status === 'done')) return EXIT.ok;
  if (has('aborted')) return EXIT.abortedAtHalt;
  if (has('failed')) return EXIT.modelFailed;
  return has('budget') ? EXIT.budget : EXIT.blocked;
}
