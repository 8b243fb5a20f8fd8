import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { engineSecrets } from '../../src/app/secrets-filter.ts';
import { DEFAULTS } from '../../src/config/config.ts';
import type { Gate } from '../../src/contracts/gate.ts';
import type { Services } from '../../src/contracts/services.ts';
import { Engine } from '../../src/engine/engine.ts';
import { foldEvents } from '../../src/engine/transcript.ts';
import { SecretsFilter } from '../../src/secrets/index.ts';
import type { Action, Judgement } from '../../src/session/action.ts';
import type { SessionEvent } from '../../src/session/event.ts';
import type { Question } from '../../src/session/question.ts';
import { readReply } from '../../src/session/reply.ts';
import { cases as casesOf } from '../support/cases.ts';
import { startEngine } from '../support/engine.ts';
import { filled, seeded } from '../support/fake-values.ts';
import { bash, deadly, reply, settings } from '../support/machine.ts';

/** Values behind handles that a shell would split or expand. */
const GIVEN = [
  'k7Xw-Qp2_9',
  'two words here9',
  `it's "quoted" 9`,
  'x; y"$(id)9',
  'a9$HOME`id`',
  'q9\\w\\7k',
  '*9 [x] {a,b}k',
  '9k#~!x',
];

/** Ways to quote a piece within a word. */
const QUOTED: readonly ((piece: string) => string)[] = [
  (piece) => piece,
  (piece) => `"${piece}"`,
  (piece) => `'${piece}'`,
  (piece) => `$'${piece}'`,
  (piece) => `pre"${piece}"post`,
  (piece) => `a\\ ${piece}`,
  (piece) => `"$((1+1))${piece}"`,
];

/** How a secret may appear in a command's own text, with characters that escape or expand. */
const OWN = ['<token>', 'token=<token>', 'PASSWORD="p\\$<14w>"', "--password='a;<14w>'", 'https://me:<20w>@h.example/'];
const PLAIN = ['x', '$HOME', '\\$', '"a b"', "'c d'", '*.none', '#', '\\\\', '-n', '%s', '{a,b}', '~', '!', 'é'];

type Piece =
  | { readonly own: number }
  | { readonly given: number; readonly quoted: number }
  | { readonly plain: number };
const index = (of: readonly unknown[]) => fc.nat(of.length - 1);
const piece: fc.Arbitrary<Piece> = fc.oneof(
  fc.record({ own: index(OWN) }),
  fc.record({ given: index(GIVEN), quoted: index(QUOTED) }),
  fc.record({ plain: index(PLAIN) }),
);
const from = fc.constantFrom('line', 'call', 'edit');
const cases = fc.record({ pieces: fc.array(piece, { minLength: 1, maxLength: 6 }), from, seed: fc.nat() });

type Case = { readonly pieces: readonly Piece[]; readonly from: string; readonly seed: number };

/** Sends one action through a real engine, and returns its text at each stage. */
async function wayOf({ pieces, from, seed }: Case) {
  const random = seeded(seed);
  const secrets = engineSecrets(new SecretsFilter(), DEFAULTS);
  const handles = GIVEN.map((value) => {
    const [handle] = /⟦\w+⟧/.exec(secrets.hide(`{"password": ${JSON.stringify(value)}}`)) ?? [];
    if (handle === undefined) throw new Error(`${value} is not taken for a secret`);
    return handle;
  });
  const words = pieces.map((part) => {
    if ('own' in part) return filled((OWN[part.own] ?? '').replace('<token>', 'ghp_<36w>'), random);
    if ('plain' in part) return PLAIN[part.plain];
    return QUOTED[part.quoted]?.(handles[part.given] ?? '');
  });
  const written = `printf '<%s>' ${words.join(' ')}`;
  const first =
    from === 'line' ? reply(`CMD: ${written}`) : reply('', [bash('c1', from === 'call' ? written : 'true')]);
  const replies = [first, reply('GOAL: complete')];
  const judged: Action[] = [];
  const told: Action[] = [];
  const ran: { command: string; env: Readonly<Record<string, string>> }[] = [];
  const gate: Gate = {
    judge: (action, context) => {
      judged.push(action);
      if (context.told) told.push(context.told);
      return Promise.resolve(deadly);
    },
    onlyReads: () => false,
    worksOverPipes: () => false,
    begin: async () => true,
  };
  const services: Partial<Services> = {
    secrets,
    models: { chatStream: async () => replies.shift() ?? reply('GOAL: complete'), measure: async () => undefined },
    agent: {
      run: (command, { env = {} }) => {
        ran.push({ command, env });
        return Promise.reject(new Error('only looked at'));
      },
    },
  };
  await using bench = startEngine({ name: 'fast', model: 'm', baseUrl: 'http://127.0.0.1:9' }, { gate, services });
  const { engine } = bench;
  const shown: Question[] = [];
  const answer = async (given: { kind: 'proceed' } | { kind: 'edit'; command: string }) => {
    await bench.until(() => engine.conversation.phase.kind === 'halted');
    const [question] = engine.state.questions;
    if (!question) throw new Error('no question');
    shown.push(engine.actions.revealQuestion(question));
    void engine.dispatch({ type: 'answered', question: question.id, answer: given });
  };
  void engine.dispatch({ type: 'norrisStarted', goal: 'go' });
  if (from === 'edit') await answer({ kind: 'edit', command: written });
  await answer({ kind: 'proceed' });
  await bench.until(() => engine.conversation.phase.kind === 'idle');
  const last = shown.at(-1);
  if (last?.kind !== 'halt') throw new Error('nothing was asked');
  return {
    written,
    secrets,
    handles,
    judged: judged.at(-1),
    told: told.at(-1),
    shown: last,
    ran,
    journal: bench.journal,
    turns: engine.conversation.turns,
  };
}

const commandOf = (action: Action | undefined) => (action?.kind === 'command' ? action.command : undefined);

/** The commands that a journal contains, from replies and from edits. */
function keptCommands(journal: readonly SessionEvent[]) {
  return journal.flatMap((event) => {
    if (event.type === 'replyEnded') return readReply(event.reply).actions.map(commandOf);
    return event.type === 'answered' && event.answer.kind === 'edit' ? [event.answer.command] : [];
  });
}

/** Returns the words into which bash parses a command. */
function meaning(command: string, env: Readonly<Record<string, string>> = {}) {
  const { status, stdout } = spawnSync('bash', ['-c', command], {
    env: { PATH: process.env.PATH, HOME: '/home/me', ...env },
    encoding: 'utf8',
  });
  return { status, stdout };
}

it('the shown, the judged and the executed action are the same, and the stored one differs only by handles for secrets', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (given) => {
      const { written, secrets, handles, judged, told, shown, ran, journal, turns } = await wayOf(given);
      const uses = handles.filter((handle) => written.includes(handle));
      expect(commandOf(shown.action)).toBe(commandOf(judged));
      expect(ran).toHaveLength(1);
      const [{ command, env } = { command: '', env: {} }] = ran;
      // The user is told where a value could become code, and only then may the two differ.
      if (!/a secret/.test(shown.judgement.reason))
        expect(meaning(command, env)).toEqual(meaning(commandOf(judged) ?? ''));
      // A secret in the command's own text is run as a part of the text.
      if (uses.length === 0) {
        expect(commandOf(judged)).toBe(written);
        expect(ran).toEqual([{ command: written, env: {} }]);
      }
      expect(Object.values(env).every((value) => uses.some((handle) => secrets.reveal(handle) === value))).toBe(true);
      expect(secrets.hide(told)).toEqual(told);
      expect(secrets.reveal(commandOf(told))).toBe(secrets.reveal(written));
      expect(keptCommands(journal)).toContain(commandOf(told));
      const kept = JSON.stringify([journal, turns]);
      for (const [secret] of written.matchAll(/ghp_\w+|(?<=p\\\$|a;|me:)\w{14,}/g)) expect(kept).not.toContain(secret);
    }),
    { numRuns: casesOf(30) },
  );
});

it('after a resume the handle of a secret has no value: a command that contains one is refused', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (given) => {
      const { journal, told } = await wayOf({ ...given, from: 'call' });
      const asked = journal.findIndex(({ type }) => type === 'answered');
      const ran: string[] = [];
      const judged: Action[] = [];
      const verdict: Judgement = deadly;
      await using bench = startEngine(
        { name: 'fast', model: 'm', baseUrl: 'http://127.0.0.1:9' },
        {
          gate: {
            judge: (action) => Promise.resolve((judged.push(action), verdict)),
            onlyReads: () => false,
            worksOverPipes: () => false,
            begin: async () => true,
          },
          services: {
            models: { chatStream: async () => reply('GOAL: complete'), measure: async () => undefined },
            agent: { run: (command) => Promise.reject(new Error(String(ran.push(command)))) },
          },
        },
      );
      const engine = new Engine(bench.engine.services, 'main', foldEvents(journal.slice(0, asked), 'main'));
      void engine.dispatch({ type: 'resumed', settings });
      const settled = () => ['idle', 'halted'].includes(engine.conversation.phase.kind);
      await new Promise<void>((resolve) => {
        const look = () => settled() && resolve();
        engine.subscribe(look);
        look();
      });
      const inert = JSON.stringify(told).includes('⟦');
      expect(engine.conversation.phase.kind).toBe(inert ? 'idle' : 'halted');
      expect(judged).toEqual(inert ? [] : [told]);
      expect(ran).toEqual([]);
      await engine.close();
    }),
    { numRuns: casesOf(20) },
  );
});
