import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MachineFiles } from '../../src/contracts/machine.ts';
import { absentHost } from '../../src/remote/hosts/index.ts';
import { createGate, localSight } from '../../src/safety/index.ts';
import { hostOf } from '../../src/session/place.ts';

const asked: string[] = [];
const gate = (localModel = true) =>
  createGate({
    enabled: true,
    secondOpinion: (text) => {
      asked.push(text);
      return Promise.resolve({ ok: true, text: 'SAFE' });
    },
    localModel: () => localModel,
    keeps: () => Promise.resolve(true),
    machineAt: (place) => {
      const host = hostOf(place);
      return host === undefined ? localSight : absentHost(host);
    },
  });
const judge = (command: string, cwd: string, localModel = true) =>
  gate(localModel).judge(
    { kind: 'command', command, job: false },
    { cwd, goal: '', signal: new AbortController().signal },
  );

describe('a command for a host', () => {
  it('runs without a question only if its text alone proves it safe', async () => {
    expect((await judge('ls -la', 'web1:/srv')).destructive).toBe(false);
    for (const command of ['make', './deploy.sh', 'npm test', 'rm -rf build', 'python3 x.py']) {
      expect([command, (await judge(command, 'web1:/srv')).destructive]).toEqual([command, true]);
    }
    expect(asked).toEqual([]);
  });

  it('is not judged by a file of this machine with the same path', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'on-host-'));
    writeFileSync(join(folder, 'run.sh'), 'echo hello\n');
    const here = await judge('sh run.sh', folder);
    const there = await judge('sh run.sh', `web1:${folder}`);
    expect([here.destructive, there.destructive]).toEqual([false, true]);
    expect(there.reason).toContain('no sandbox limits it on web1');
    expect((await judge('echo x > new-file', folder)).destructive).toBe(false);
    expect((await judge('echo x > new-file', `web1:${folder}`)).destructive).toBe(true);
  });

  it('treats a file that can’t be checked as existing', async () => {
    const { findings } = await judge('rm -rf build', 'web1:/srv');
    expect(findings?.[0]?.impact).toEqual(['build: could not be counted']);
  });

  it('sends all file checks in one request if the host keeps their order, and resolves paths first', async () => {
    const lookedAt = async (inOrder: boolean) => {
      const looks: string[] = [];
      const asked = Promise.withResolvers<void>();
      const files: MachineFiles = {
        ...absentHost('web1').files,
        ...(inOrder ? { inOrder } : {}),
        async identities() {
          looks.push('identities');
          if (inOrder) await asked.promise;
          looks.push('told');
          return [];
        },
        async existing() {
          looks.push('existing');
          asked.resolve();
          return [];
        },
      };
      const there = createGate({ enabled: false, machineAt: () => ({ ...absentHost('web1'), files }) });
      const { signal } = new AbortController();
      const action = { kind: 'command', command: 'rm -f build', job: false } as const;
      const { basis } = await there.judge(action, { cwd: 'web1:/srv', goal: '', signal });
      expect(basis?.targets?.found).toEqual([]);
      return looks;
    };
    expect(await lookedAt(true)).toEqual(['identities', 'existing', 'told']);
    expect(await lookedAt(false)).toEqual(['identities', 'told', 'existing']);
  });

  it('asks before a remote model sees files that the command does not name', async () => {
    expect((await judge('cat notes.txt', 'web1:/srv', false)).credential).toBeUndefined();
    expect((await judge('cat *', 'web1:/srv', false)).credential).toBe(true);
    expect((await judge('grep -r key .', 'web1:/srv', false)).credential).toBe(true);
  });

  it('never runs over pipes or side by side with others', () => {
    expect([gate().worksOverPipes('ls', 'web1:/srv'), gate().onlyReads('ls', 'web1:/srv')]).toEqual([false, false]);
  });
});
