/** Network permits: which host, for how long, and the fate of a question whose program has given up. */
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Client, NetworkGrants, special, targetOf } from '../../src/app/network-grants.ts';
import type { NetworkAnswer } from '../../src/contracts/commands.ts';

/** Grants whose questions are recorded and answered in turn; without an answer left, a question stays open. */
function grantsFor(...answers: readonly NetworkAnswer[]) {
  const asked: string[] = [];
  let waits = () => {};
  const state = {
    client: { program: 'curl' } as Client,
    run: undefined as string | undefined,
    isOpen: true,
    say: undefined as ((said: NetworkAnswer) => void) | undefined,
  };
  const grants = new NetworkGrants({
    ask: ({ program, job, run }, items, gone) => {
      asked.push([program, ...(job ? [`job ${job}`] : []), ...(run ? [run] : []), ...items].join(' '));
      const answer = answers[asked.length - 1];
      if (answer) return Promise.resolve(answer);
      waits();
      return new Promise((resolve) => {
        state.say = resolve;
        gone.addEventListener('abort', () => resolve(undefined));
      });
    },
    clientAt: () => state.client,
    isOpen: () => state.isOpen,
    run: () => state.run,
  });
  const allows = async (name: string) => {
    const target = targetOf(name);
    return target ? grants.allows(target, 0) : 'no target';
  };
  /** Resolves when a question is open. */
  const open = () => new Promise<void>((resolve) => (waits = resolve));
  return { grants, asked, allows, state, open };
}

it('a host and port has one normal spelling, however it is written', () => {
  expect(targetOf('Example.COM.:80')).toEqual({ host: 'example.com', port: 80 });
  expect(targetOf('0x7f.1:443')).toEqual({ host: '127.0.0.1', port: 443 });
  expect(targetOf('2130706433', 80)).toEqual({ host: '127.0.0.1', port: 80 });
  expect(targetOf('[::FFFF:127.0.0.1]:8')).toEqual({ host: '::ffff:7f00:1', port: 8 });
  for (const wrong of ['', 'a', 'a:0', 'a:65536', 'a/b:1', 'u@a:1', '::1:80', 'a b:1'])
    expect(targetOf(wrong), wrong).toBeUndefined();
});

it('simultaneous connections to one address raise one question, and special addresses are explained', async () => {
  const { asked, allows } = grantsFor('no', 'no');
  const many = [
    ...Array.from({ length: 20 }, () => 'a.example:443'),
    'b.example:443',
    '169.254.169.254:80',
    '[fe80::1]:80',
    '[::ffff:127.0.0.9]:80',
    '0.0.0.0:80',
    '[::]:80',
    '224.0.0.1:80',
    '192.168.1.1:80',
    '8.8.8.8:53',
  ];
  expect(new Set(await Promise.all(many.map(allows)))).toEqual(new Set([false]));
  expect(asked).toEqual([
    [
      'curl a.example:443 b.example:443',
      '169.254.169.254:80 (link-local, where clouds give out keys)',
      '[fe80::1]:80 (link-local, where clouds give out keys)',
      '[::ffff:7f00:9]:80 (this machine)',
      '0.0.0.0:80 (this machine)',
      '[::]:80 (this machine)',
      '224.0.0.1:80 (many machines at once)',
      '192.168.1.1:80 (in a private network)',
      '8.8.8.8:53 (an address without a name)',
    ].join(' '),
  ]);
  expect(await allows('a.example:443')).toBe(false);
  expect(await allows('a.example:80')).toBe(false);
  expect(asked).toHaveLength(2);
});

it('a grant lasts for one command, for a run, or until it is revoked', async () => {
  const { grants, asked, allows, state } = grantsFor('once', 'no', 'always', 'no', 'always', 'no');
  const begin = (command: number) => {
    state.client = { program: 'git', command };
    return grants.began(command);
  };
  const first = begin(1);
  expect([await allows('a.example:1'), await allows('a.example:1')]).toEqual([true, true]);
  expect(first.gaveUp()).toBeUndefined();
  begin(2);
  expect(await allows('a.example:1')).toBe(false);
  state.run = 'run 1';
  expect([await allows('b.example:1'), await allows('b.example:1')]).toEqual([true, true]);
  expect(grants.list()).toEqual([
    ['a.example:1', false],
    ['b.example:1', true, 'this run'],
  ]);
  state.run = 'run 2';
  expect([await allows('b.example:1'), await allows('b.example:1')]).toEqual([false, false]);
  state.run = undefined;
  expect([await allows('b.example:1'), await allows('b.example:1')]).toEqual([true, true]);
  expect(grants.setNamed('b.example:1', undefined)).toBe('b.example:1');
  expect(await allows('b.example:1')).toBe(false);
  expect(grants.setNamed('d.example', true)).toBe('d.example:443, d.example:80');
  expect(await allows('d.example:80')).toBe(true);
  expect(asked).toHaveLength(6);
});

it('the grants of a job end with the job, and no others do', async () => {
  const { grants, asked, allows, state } = grantsFor('always', 'always', 'always');
  state.client = { program: 'node', job: 7 };
  await allows('a.example:443');
  state.client = { program: 'node' };
  await allows('b.example:443');
  await allows('a.example:443');
  expect(grants.list()).toEqual([
    ['a.example:443', true, 'job 7'],
    ['b.example:443', true],
  ]);
  grants.jobEnded(7);
  expect(grants.list()).toEqual([['b.example:443', true]]);
  await allows('a.example:443');
  expect(asked).toEqual(['node job 7 a.example:443', 'node b.example:443', 'node a.example:443']);
});

it('the question of an ended command is withdrawn, and its answer lets the command run again', async () => {
  const { grants, asked, allows, state, open } = grantsFor();
  state.client = { program: 'pip', command: 1 };
  const command = grants.began(1);
  const opened = open();
  const waits = allows('a.example:443');
  await opened;
  const gaveUp = command.gaveUp();
  expect(await waits).toBe(false);
  expect(gaveUp).toMatchObject({ program: 'pip', items: ['a.example:443'], isAllowed: false });
  gaveUp?.settle('once');
  state.client = { program: 'pip', command: 2 };
  const again = grants.began(2);
  expect([await allows('a.example:443'), await allows('a.example:443')]).toEqual([true, true]);
  expect(again.gaveUp()).toBeUndefined();
  expect(asked).toHaveLength(1);
});

it('a yes that comes too late is distinguished from one that a later connection of the command uses', async () => {
  for (const retries of [false, true]) {
    const { grants, allows, state, open } = grantsFor();
    state.client = { program: 'pip', command: 1 };
    const command = grants.began(1);
    const opened = open();
    const waits = allows('a.example:443');
    await opened;
    state.isOpen = false;
    state.say?.('always');
    expect(await waits).toBe(false);
    state.isOpen = true;
    if (retries) expect(await allows('a.example:443')).toBe(true);
    expect(command.gaveUp()?.isAllowed).toBe(retries ? undefined : true);
  }
});

it('the time spent on questions is counted once, however many connections wait', async () => {
  const { grants, allows, state, open } = grantsFor();
  state.client = { program: 'npm', command: 1 };
  const command = grants.began(1);
  expect(command.askedMs()).toBe(0);
  const began = performance.now();
  const opened = open();
  const waits = Promise.all(['a.example:443', 'b.example:443', 'a.example:443'].map(allows));
  await opened;
  await setTimeout(60);
  expect(command.askedMs()).toBeGreaterThan(50);
  state.say?.('no');
  await waits;
  const asked = command.askedMs();
  expect(asked).toBeLessThanOrEqual(performance.now() - began);
  await setTimeout(20);
  expect(command.askedMs()).toBe(asked);
});

it('an answer allows only what its question named', async () => {
  const { asked, allows, state, open } = grantsFor();
  const opens = open();
  const first = allows('evil.example:443');
  await opens;
  state.client = { program: 'curl', command: 2 };
  const again = [allows('evil.example:443'), allows('npm.example:443')];
  await setTimeout(100);
  const next = open();
  state.say?.('no');
  expect(await first).toBe(false);
  await next;
  expect(asked.at(-1)).toBe('curl npm.example:443');
  state.say?.('always');
  expect(await Promise.all(again)).toEqual([false, true]);
  expect(await allows('evil.example:443')).toBe(false);
});

it('the cloud metadata address is recognised', () => {
  for (const address of ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200'])
    expect(special(address)).toBe('link-local, where clouds give out keys');
  expect(special('100.100.100.201')).toBeUndefined();
});

it('a special address is recognised inside an IPv6 address that is translated to it', () => {
  for (const address of ['64:ff9b::a9fe:a9fe', '64:ff9b::169.254.169.254', '2002:a9fe:a9fe::1'])
    expect(special(address)).toBe('link-local, where clouds give out keys');
  expect(special('64:ff9b::7f00:1')).toBe('this machine');
  expect(special('64:ff9b::808:808')).toBeUndefined();
  expect(special('2606:4700::1')).toBeUndefined();
});
