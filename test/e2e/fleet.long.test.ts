import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeDocker } from '../support/fake-docker.ts';
import { jsonLines } from '../support/lines.ts';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { startScriptedServer, type Turn, whenever } from '../support/scripted-server.ts';
import { lacksSshd, startSshd } from '../support/sshd.ts';

/** A model that wants one command on each host and accepts any result. */
const wants = (command: string): Turn =>
  whenever(() => true, {
    from: ({ messages }) => ({
      text: messages.some(({ role }) => role === 'assistant') ? 'GOAL: complete' : `CMD: ${command}`,
    }),
  });

describe('aish-tui run --hosts', () => {
  it('carries out one goal on containers independently, and prints a table and how they differ', async () => {
    await using server = await startScriptedServer([wants('cat version')]);
    using place = scratch(server.baseUrl);
    const boxes = fakeDocker(place, ['a', 'b', 'c']);
    for (const [name, box] of Object.entries(boxes)) writeFileSync(join(box, 'version'), name === 'c' ? '2\n' : '1\n');
    writeFileSync(join(place.work, 'version'), 'of this machine\n');
    const { code, out } = await runProgram(place, ['run', '--hosts', 'docker:a,docker:b,docker:c', 'which', 'version']);
    expect(code).toBe(0);
    expect(out).toMatch(/docker:a +done +[\d.]+ s +1 +A/);
    expect(out).toMatch(/docker:c +done +[\d.]+ s +1 +B/);
    expect(out).toContain('A (2 hosts: docker:a, docker:b): 1\nB (docker:c): 2\n');
    expect(out).not.toContain('of this machine');
    for (const box of Object.values(boxes)) expect(readdirSync(join(box, 'tmp'))).toEqual([]);
  });

  it('asks equal questions once; without a person nothing runs and the exit code is 4', async () => {
    await using server = await startScriptedServer([wants('rm -rf data')]);
    using place = scratch(server.baseUrl);
    const boxes = fakeDocker(place, ['a', 'b', 'c']);
    for (const [name, box] of Object.entries(boxes)) if (name !== 'c') mkdirSync(join(box, 'data'));
    // Every container has the same name at the same path, so the comparison uses what each host reports of itself.
    const { code, out, err } = await runProgram(place, [
      'run',
      '--json',
      '--hosts',
      'docker:a,docker:c,docker:a',
      'clean',
    ]);
    expect(code).toBe(4);
    const lines = jsonLines(out);
    expect(lines.find(({ kind }) => kind === 'fleetHalts')).toMatchObject({
      answer: 'abort',
      groups: [
        { hosts: ['docker:a'], command: 'rm -rf data', targets: [{ label: 'data', type: 'directory' }] },
        { hosts: ['docker:c'], targets: [{ type: 'missing' }] },
      ],
    });
    expect(lines.at(-1)).toMatchObject({ kind: 'fleetEnded', counts: { aborted: 2 } });
    expect(err).toContain('HALT on docker:a');
    expect(existsSync(join(boxes.a ?? '', 'data'))).toBe(true);
  });

  it('does not trust a client that exits with 0 while its command still runs', async () => {
    await using server = await startScriptedServer([wants('sleep 0.4; exit 7')]);
    using place = scratch(server.baseUrl, { safety: { llm_second_opinion: false } });
    const boxes = fakeDocker(place, ['a']);
    writeFileSync(join(boxes.a ?? '', 'lie'), '');
    const { out } = await runProgram(place, ['run', '--json', '--hosts', 'docker:a', 'x']);
    const host = jsonLines(out).find(({ kind }) => kind === 'fleetHost');
    // Either the command's own exit or that of its kill on a slow machine, but never the client's 0.
    expect(host).toMatchObject({ status: 'done', commands: [{ exit: expect.toBeOneOf([7, 137, 143]) }] });
  });

  it('gives a missing host and a hanging host a row each, and exits with 3', async () => {
    await using server = await startScriptedServer([wants('cat version')]);
    using place = scratch(server.baseUrl);
    const boxes = fakeDocker(place, ['a', 'hung']);
    writeFileSync(join(boxes.a ?? '', 'version'), '1\n');
    writeFileSync(join(boxes.hung ?? '', 'hangs'), '');
    const hosts = 'docker:a,docker:gone,docker:hung';
    const { code, out } = await runProgram(place, ['run', '--hosts', hosts, 'which version']);
    expect(code).toBe(3);
    expect(out).toMatch(/docker:a +done/);
    expect(out).toMatch(/docker:gone +unreachable .*No such container/);
    expect(out).toMatch(/docker:hung +unreachable .*no answer within 5 s/);
  });

  it('reports no answer from a host that hangs beyond the deadline', async () => {
    await using server = await startScriptedServer([wants('cat version')]);
    using place = scratch(server.baseUrl);
    const { hung = '' } = fakeDocker(place, ['hung']);
    writeFileSync(join(hung, 'hangs'), '');
    const { code, out } = await runProgram(place, [
      'run',
      '--hosts',
      'docker:hung',
      '--deadline',
      '1s',
      'which version',
    ]);
    expect(code).toBe(3);
    expect(out).toMatch(/docker:hung +no answer .*not done after 1 s/);
  });

  it('killed midway and resumed, keeps what had ended and does not rerun what had begun', async () => {
    await using server = await startScriptedServer([
      whenever(({ system }) => system.includes('docker:b,'), { text: 'CMD: cat fifo' }),
      wants('cat version'),
    ]);
    using place = scratch(server.baseUrl);
    const boxes = fakeDocker(place, ['a', 'b']);
    writeFileSync(join(boxes.a ?? '', 'version'), '1\n');
    const { a = '', b = '' } = boxes;
    // A read of the FIFO never ends, since nobody writes to it.
    execFileSync('mkfifo', [join(b, 'fifo')]);
    const began = () => readdirSync(join(b, 'tmp')).flatMap((name) => readdirSync(join(b, 'tmp', name)));
    const first = await runProgram(place, ['run', '--json', '--hosts', 'docker:a,docker:b', 'which version'], {
      onOut(text, kill) {
        if (!text.includes('fleetHost')) return;
        const look = setInterval(() => {
          if (!began().some((name) => name.endsWith('.began'))) return;
          clearInterval(look);
          kill('SIGKILL');
        }, 20);
      },
    });
    expect(first.signal).toBe('SIGKILL');
    const session = String(jsonLines(first.out)[0]?.session);
    const asked = server.requests.length;
    rmVersion(a);
    const { code, out } = await runProgram(place, ['run', '--json', '--resume', session]);
    expect(code).toBe(3);
    const rows = jsonLines(out).filter(({ kind }) => kind === 'fleetHost');
    expect(rows).toMatchObject([
      { host: 'docker:a', status: 'done' },
      { host: 'docker:b', status: 'unknown', reason: expect.stringContaining('cat fifo') },
    ]);
    expect(server.requests).toHaveLength(asked);
    expect((await runProgram(place, ['run', '--resume', session])).err).toContain('has ended on every host');
    // The reader outlived its program, as it would in a container. Opening and closing the FIFO ends it.
    closeSync(openSync(join(b, 'fifo'), constants.O_RDWR | constants.O_NONBLOCK));
  });

  it('names the mistake in wrong arguments', async () => {
    using place = scratch();
    const err = async (...words: string[]) => (await runProgram(place, ['run', ...words])).err;
    expect(await err('--hosts', '@nobody', 'x')).toContain('no group is called @nobody');
    expect(await err('--hosts', '-oProxyCommand=id', 'x')).toContain('is not the name of a host');
    expect(await err('--canary', 'a', 'x')).toContain('--canary needs --hosts');
    expect(await err('--via', 'ansible', 'x')).toContain('--via needs --hosts');
    expect(await err('--hosts', 'a', '--via', 'pigeon', 'x')).toContain('Allowed choices are ansible');
    expect(await err('--hosts', 'a', '--canary', 'b', 'x')).toContain('canary b is not in the host list');
    expect(await err('--hosts', 'a')).toContain("missing required argument 'goal'");
  });
});

/** The environment with which a program in a terminal finds the containers. */
const onPath = ({ env: { PATH = '', BOXES = '' } }: Scratch) => ({ PATH, BOXES });

describe(':fleet', () => {
  it('asks once, runs the canary first, and leaves the table in the transcript', async () => {
    await using server = await startScriptedServer([wants('rm -rf data')]);
    using place = scratch(server.baseUrl);
    const boxes = fakeDocker(place, ['a', 'b', 'c']);
    const has = () => Object.entries(boxes).flatMap(([name, box]) => (existsSync(join(box, 'data')) ? [name] : []));
    for (const [name, box] of Object.entries(boxes)) if (name !== 'c') mkdirSync(join(box, 'data'));
    await using rig = startRig(place, {
      columns: 110,
      rows: 36,
      env: onPath(place),
    });
    await rig.waitFor(/\[aish:\w+\]>/);
    rig.type(':fleet clean up on docker:a,docker:b,docker:c\r');
    await rig.waitFor(/HALT.* on docker:a/);
    await rig.waitFor(/docker:a reports/);
    await rig.waitFor(/all shown|Enter: /);
    expect(has()).toEqual(['a', 'b']);
    rig.type('p');
    await rig.waitFor(() => has().join('') === 'b');
    await rig.waitFor(/HALT.* on docker:b/);
    await rig.waitFor(/all shown|Enter: /);
    expect(has()).toEqual(['b']);
    rig.type('s');
    await rig.waitFor(/HALT.* on docker:c/);
    await rig.waitFor(/nothing there, as docker:c reports/);
    await rig.waitFor(/all shown|Enter: /);
    rig.type('a');
    await rig.waitFor(/HOST +STATUS[\s\S]*docker:c +aborted/);
    expect(rig.text()).toMatch(/docker:a +done +[\d.]+ s +1 /);
    expect(rig.text()).toMatch(/docker:b +done /);
    expect(has()).toEqual(['b']);
  });

  it('closed midway, runs nothing meanwhile, and :fleet resume asks again', async () => {
    await using server = await startScriptedServer([wants('rm -rf data')]);
    using place = scratch(server.baseUrl);
    const { a = '' } = fakeDocker(place, ['a']);
    const env = onPath(place);
    mkdirSync(join(a, 'data'));
    {
      await using rig = startRig(place, { columns: 110, rows: 36, env });
      await rig.waitFor(/\[aish:\w+\]>/);
      rig.type(':fleet clean up on docker:a\r');
      await rig.waitFor(/HALT.* on docker:a/);
      rig.kill('SIGKILL');
      await rig.exited;
    }
    await using rig = startRig(place, { columns: 110, rows: 36, env, args: ['--resume'] });
    await rig.waitFor(/\[aish:\w+\]>/);
    expect(rig.text()).not.toContain('HALT');
    rig.type(':fleet resume\r');
    await rig.waitFor(/HALT.* on docker:a/);
    await rig.waitFor(/all shown|Enter: /);
    expect(existsSync(join(a, 'data'))).toBe(true);
    rig.type('p');
    await rig.waitFor(/docker:a +done/);
    expect(existsSync(join(a, 'data'))).toBe(false);
  });

  it('on the plain screen asks in sentences, accepts an answer for some of the hosts, and reports how each host ends', async () => {
    await using server = await startScriptedServer([wants('rm -rf data')]);
    using place = scratch(server.baseUrl, { ui: { screen: 'plain' } });
    for (const box of Object.values(fakeDocker(place, ['a', 'b']))) writeFileSync(join(box, 'at'), place.work);
    const env = onPath(place);
    await using rig = await openRig(place, /\[aish:\w+\]>/, { columns: 110, rows: 36, env });
    rig.type(':fleet stop it on docker:a,docker:b\r');
    for (const [answer, then] of [
      ['only docker:b', /Question: HALT · on docker:b/],
      ['skip', /Question: HALT · on docker:a/],
      ['abort', /docker:a: aborted.*\(2 of 2 have ended\)\.[\s\S]*HOST +STATUS/],
    ] as const) {
      await rig.waitFor(/Command: rm -rf data[\s\S]*answer>/);
      const early = () => rig.raw.match(/too early/g)?.length ?? 0;
      while (!then.test(rig.text())) {
        const before = early();
        rig.type(`${answer}\r`);
        await rig.waitFor(() => then.test(rig.text()) || early() > before);
      }
    }
    expect(rig.raw).toContain('docker:b: done');
  });
});

describe.skipIf(lacksSshd())('a fleet over ssh', () => {
  it('runs read-only commands over one connection per host, and asks about any other', async () => {
    const host = await startSshd('web1');
    const there = join(tmpdir(), `aish-fleet-${process.pid}`);
    writeFileSync(there, 'seven\n');
    try {
      for (const [command, code, row] of [
        [`cat ${there}`, 0, /web1 +done +[\d.]+ s +1 +A/],
        [`rm ${there}`, 4, /web1 +aborted/],
      ] as const) {
        await using server = await startScriptedServer([wants(command)]);
        using place = scratch(server.baseUrl);
        place.env.PATH = `${host.bin}:${place.env.PATH}`;
        const ended = await runProgram(place, ['run', '--hosts', 'web1', 'look']);
        expect({ code: ended.code, err: ended.err }).toMatchObject({ code });
        expect(ended.out).toMatch(row);
        if (code === 4) expect(ended.err).toContain('HALT on web1');
      }
      expect(existsSync(there)).toBe(true);
      expect(host.accepted()).toBe(2);
    } finally {
      rmSync(there, { force: true });
      await host.stop();
    }
  });
});

describe.skipIf(lacksSshd())('a name shared by a fleet and :host', () => {
  it('keeps the user’s :host connection and the fleet’s apart', async () => {
    const host = await startSshd('web1');
    try {
      await using server = await startScriptedServer([wants('cat fifo')]);
      using place = scratch(server.baseUrl);
      execFileSync('mkfifo', [join(place.home, 'fifo')]);
      const env = { PATH: `${host.bin}:${place.env.PATH}` };
      await using rig = await openRig(place, /\[aish:\w+\]>/, { columns: 120, rows: 30, env });
      rig.type(':host web1\r');
      await rig.waitFor(/@web1 \[aish:\w+\]>/);
      rig.type(':fleet look on web1\r');
      await rig.waitFor(/web1 +unreachable .*you have it by :host/);
      expect(host.accepted()).toBe(1);
      rig.type(':host forget web1\r');
      await rig.waitFor(/removed there/);
      rig.type(`:fleet read ${place.home} on web1\r`);
      await rig.waitFor(/▸ web1/);
      rig.type(':host web1\r');
      await rig.waitFor('a fleet is at work on web1; :fleet stop ends it');
      rig.type(':fleet stop\r');
      await rig.waitFor(/web1 +stopped/);
    } finally {
      await host.stop();
    }
  });
});

/** After a kill, reading the file again would now fail. */
function rmVersion(box: string): void {
  writeFileSync(join(box, 'version'), `${readFileSync(join(box, 'version'), 'utf8')}changed\n`);
}
