import type { Job, ShellJob } from '../contracts/commands.ts';

import { visible } from '../text/sanitize.ts';
import type { App } from './app.ts';
import { type Command, CommandError } from './command.ts';

/** `:jobs` (EX-8): lists the background jobs. */
export const jobs: Command = {
  name: 'jobs',
  usage: ':jobs',
  group: 'shell',
  summary: 'list the background jobs',
  async run({ engine, shell }) {
    const now = engine.services.now();
    const rows = [...engine.services.jobs.running().map((job) => rowOf(job, now)), ...shell.jobs().map(shellRowOf)];
    return rows.join('\n') || 'no jobs';
  },
};

function rowOf({ id, owner, mode, startedAt, command, running }: Job, now: number): string {
  const asks = running.asks ? `  (waits for input; :fg ${id})` : '';
  const seconds = Math.round((now - startedAt) / 1000);
  return `${id}  ${owner.padEnd(5)}  ${(mode ?? '').padEnd(12)}  ${seconds} s  ${command}${asks}`;
}

function shellRowOf({ group, command, stopped }: ShellJob): string {
  return `${group}  shell  ${(stopped ? 'stopped' : 'running').padEnd(12)}  ${visible(command)}`;
}

/** `:bg`: starts a background job of the user; without arguments, the running command becomes one. */
export const bg: Command = {
  name: 'bg',
  usage: ':bg [command]',
  group: 'shell',
  summary: 'run a command in the background',
  forms: [
    [':bg', 'send the running command to the background'],
    [':bg make', 'run another command in the background'],
  ],
  shellBehind: /^/,
  async run(app, rest) {
    const { services } = app.engine;
    if (rest !== '')
      return `job ${services.jobs.adopt(await services.user.run(rest), { command: rest, owner: 'user' })}`;
    const why = await sendToBackground(app);
    if (why !== undefined) throw new CommandError(why);
    return undefined;
  },
};

/** Moves the foreground job or the user's running command to the background. Returns the reason on failure. */
export async function sendToBackground({ front, shell }: App): Promise<string | undefined> {
  return front.leave() ? undefined : shell.background();
}

/** `:fg N`: shows a job's screen again; the user's own jobs also get the keyboard. */
export const fg: Command = {
  name: 'fg',
  usage: ':fg [job]',
  group: 'shell',
  summary: 'bring a job to the front',
  forms: [
    [':fg', 'bring the newest job to the front'],
    [':fg 2', 'bring job 2 to the front; a job of the model can only be watched'],
  ],
  arguments: jobNumbers,
  async run({ engine, shell, front, screen }, rest) {
    if (!screen) throw new CommandError(':fg needs the full screen; :jobs lists the jobs');
    const list = engine.services.jobs.running();
    const job = rest === '' ? list.at(-1) : list.find(({ id }) => String(id) === rest);
    if (!job) throw new CommandError(rest === '' ? 'no jobs' : noJob(rest));
    if (shell.running) throw new CommandError('a command of yours is running; :bg sends it to the background');
    if (!(await shell.resume(job.running))) front.bring(job);
    return undefined;
  },
};

/** `:kill N` (EX-8): ends a background job. */
export const kill: Command = {
  name: 'kill',
  usage: ':kill <job>',
  group: 'shell',
  summary: 'end a background job',
  arguments: jobNumbers,
  async run({ engine, shell }, rest) {
    if (rest === '') throw new CommandError('which job? :jobs lists them');
    const id = Number(rest);
    const ends = Number.isInteger(id) && (engine.services.jobs.kill(id) || (await shell.endJob(id)));
    if (!ends) throw new CommandError(noJob(rest));
    return undefined;
  },
};

function jobNumbers({ engine }: App) {
  return engine.services.jobs.running().map(({ id, command }) => ({ word: String(id), note: command }));
}

function noJob(name: string): string {
  return `no job ${name}; :jobs lists them`;
}
