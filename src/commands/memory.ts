import { type Command, CommandError } from './command.ts';

/** A local model may have to read all of it first; the user waits for this one. */
const SAVE_TIMEOUT_MS = 60_000;

/** `:memory`: the notes on earlier sessions, and how the user edits them (CX-5). */
export const memory: Command = {
  name: 'memory',
  usage: ':memory [save | forget <number>]',
  group: 'talk',
  summary: 'list the notes on earlier sessions',
  forms: [
    [':memory save', 'write one on this session'],
    [':memory forget 3', 'remove one'],
  ],
  arguments({ memory }, [verb, ...more]) {
    if (verb === undefined) return ['save', 'forget'];
    if (verb !== 'forget' || more.length > 0) return [];
    return memory.list().map(({ text }, index) => ({ word: String(index + 1), note: text }));
  },
  async run({ memory }, rest) {
    const [verb = '', number = ''] = rest.split(/\s+/);
    if (verb === 'save') return memory.save(AbortSignal.timeout(SAVE_TIMEOUT_MS));
    const rows = memory.list();
    if (verb === 'forget') {
      const row = rows[Number(number) - 1];
      if (!row) throw new CommandError(`no note ${number || '(which?)'}; :memory lists them`);
      memory.forget(row.session);
      return `forgotten: ${row.text}`;
    }
    if (verb !== '') throw new CommandError(`:memory takes save or forget <number>, not ${verb}`);
    const off = memory.enabled ? [] : ['(memory.enabled is off: no notes are saved or used)'];
    const lines = rows.map(
      ({ at, cwd, text }, index) => `${index + 1}  ${new Date(at).toISOString().slice(0, 10)}  ${cwd}  ${text}`,
    );
    return [...off, ...(lines.length > 0 ? lines : ['there are no notes'])].join('\n');
  },
};
