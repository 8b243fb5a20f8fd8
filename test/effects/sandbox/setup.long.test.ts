/** A failure anywhere in the setup prevents the command, with one line and the status file as the message. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPrivateTmp, lightArgv, type PrivateTmp, sandboxArgv } from '../../../src/effects/sandbox/index.ts';
import { lacks } from '../../support/lacks.ts';
import { type Ran, run } from './run.ts';
import { buildTools, type Tools } from './tools.ts';

let tools: Tools;
beforeAll(async () => {
  tools = await buildTools();
});
afterAll(() => tools?.dispose());

/** A command whose run would be visible twice: in the output, and as a file where writing is allowed. */
const COMMAND = ['sh', '-c', 'echo it ran; touch "$TMPDIR/ran" 2>/dev/null; : > "$TMPDIR/ran"'];

async function tryTo(
  compose: (tmp: PrivateTmp) => readonly string[],
): Promise<Ran & { readonly started: boolean; readonly why: string }> {
  const tmp = createPrivateTmp();
  try {
    const ran = await run(compose(tmp), { env: { PATH: process.env.PATH, TMPDIR: tmp.path } });
    const status = tmp.status();
    const started = status.kind !== 'notStarted' || existsSync(join(tmp.path, 'ran')) || ran.out.includes('it ran');
    return { ...ran, started, why: status.kind === 'notStarted' ? status.why : '' };
  } finally {
    tmp.dispose();
  }
}

function whole(launcher: string, tmp: PrivateTmp, argv: readonly string[] = COMMAND): readonly string[] {
  return sandboxArgv({ launcher, argv, cwd: '/', tmpDir: tmp.path, statusFile: tmp.statusFile });
}

function withOptions(argv: readonly string[], ...options: readonly string[]): readonly string[] {
  return [argv[0] ?? '', ...options, ...argv.slice(1)];
}

function expectNothingRan(result: Awaited<ReturnType<typeof tryTo>>): void {
  expect(result.started).toBe(false);
  expect(result.code).toBe(126);
  expect(result.out).toBe('');
  expect(result.err).toMatch(/^aish-sandbox: set-up failed at [^\n]*; the command was not run\n$/);
}

it.skipIf(lacks('cc'))('the launcher runs the command when nothing fails', async () => {
  const result = await tryTo((tmp) => whole(tools.launcher, tmp));
  expect(result).toMatchObject({ started: true, code: 0, out: 'it ran\n', err: '' });
});

describe.skipIf(lacks('cc'))('a forced failure of a setup step', () => {
  const steps = [
    'cwd',
    'session',
    'descriptors',
    'privileges',
    'capabilities',
    'core',
    'limits',
    'landlock',
    'filter',
    'keep',
    'exec',
  ];

  it('is tested for every step in the source code', () => {
    const source = readFileSync(join(import.meta.dirname, '../../../src/effects/launcher/confine.c'), 'utf8');
    const table = source.slice(source.indexOf('} steps[] = {'));
    expect([...table.matchAll(/^\s+\{"(\w+)", \w+, /gm)].map((match) => match[1])).toEqual(steps);
  });

  it.each(steps)('in %s prevents the command and is named', async (step) => {
    const result = await tryTo((tmp) => withOptions(whole(tools.testLauncher, tmp), '--fail', step));
    expectNothingRan(result);
    expect(result.why).toMatch(new RegExp(`^${step}: .*Input/output error$`));
  });

  it.each(['cwd', 'session', 'descriptors', 'privileges', 'landlock', 'exec'])(
    'in %s of the light profile prevents the command and is named',
    async (step) => {
      const result = await tryTo((tmp) => {
        const argv = lightArgv({ launcher: tools.testLauncher, argv: COMMAND, cwd: '/', statusFile: tmp.statusFile });
        return withOptions(argv, '--fail', step);
      });
      expectNothingRan(result);
    },
  );
});

describe.skipIf(lacks('cc'))('a refused system call of the setup in the shipped launcher', () => {
  const calls = [
    'chdir',
    'prctl',
    'capget',
    'capset',
    'prlimit64',
    'sysinfo',
    'landlock_create_ruleset',
    'landlock_add_rule',
    'landlock_restrict_self',
    'getdents64',
    'fstat',
    'execve:when=2+',
    'vfork',
    'clone',
    'pipe2',
    'signalfd4',
  ];
  const root = process.getuid?.() === 0;
  const strace = !lacks('strace') && mayTrace();

  it.skipIf(!strace).each(root ? calls : calls.filter((call) => call !== 'capset'))(
    'prevents the command: %s',
    async (call) => {
      const [name = '', when = 'when=1+'] = call.split(':');
      const result = await tryTo((tmp) => [
        'strace',
        '-fqqo',
        '/dev/null',
        '-e',
        'signal=none',
        '-e',
        `inject=${name}:error=EIO:${when}`,
        // In this test the launcher's parent is strace.
        ...withoutParent(whole(tools.launcher, tmp)),
      ]);
      expect(result.started).toBe(false);
      expect(result.out).toBe('');
      expect(result.err).toMatch(/set-up failed at|the command was not run/);
      expect(result.code).toBe(126);
    },
  );

  /** Returns whether strace may trace a program here; a container may forbid it. */
  function mayTrace(): boolean {
    try {
      execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }

  function withoutParent(argv: readonly string[]): readonly string[] {
    const at = argv.indexOf('--parent');
    return [...argv.slice(0, at), ...argv.slice(at + 2)];
  }
});

describe.skipIf(lacks('cc'))('the launcher', () => {
  it('refuses a working directory that does not exist', async () => {
    const result = await tryTo((tmp) =>
      sandboxArgv({
        launcher: tools.launcher,
        argv: COMMAND,
        cwd: '/nowhere',
        tmpDir: tmp.path,
        statusFile: tmp.statusFile,
      }),
    );
    expectNothingRan(result);
    expect(result.why).toBe('cwd: /nowhere: No such file or directory');
  });

  it('refuses a temporary directory that others can enter, or that is a link, or is missing', async () => {
    const shared = await tryTo((tmp) => {
      chmodSync(tmp.path, 0o755);
      return whole(tools.launcher, tmp);
    });
    expectNothingRan(shared);
    expect(shared.why).toContain('is not private');
    for (const tmpDir of ['/proc/self/cwd', '/nowhere']) {
      const { launcher } = tools;
      expectNothingRan(
        await tryTo((tmp) => sandboxArgv({ launcher, argv: COMMAND, tmpDir, statusFile: tmp.statusFile })),
      );
    }
  });

  it('refuses an existing status file, so that an old result is never taken for a new one', async () => {
    const result = await tryTo((tmp) => {
      writeFileSync(tmp.statusFile, '');
      return whole(tools.launcher, tmp);
    });
    expectNothingRan(result);
  });

  it('refuses a --parent that is not its parent', async () => {
    const { launcher } = tools;
    const result = await tryTo((tmp) => [launcher, '--parent', '1', '--status', tmp.statusFile, '--', ...COMMAND]);
    expectNothingRan(result);
  });

  it.each([
    [['--unknown', '--']],
    [['--limit', 'as', '--']],
    [['--limit', 'as=-1', '--']],
    [['--limit', 'colour=1', '--']],
    [['--tmp']],
    [['--']],
    [[]],
  ])('refuses the arguments %j', async (args) => {
    const tail = args.length > 1 ? COMMAND : [];
    expectNothingRan(await tryTo(() => [tools.launcher, ...args, ...tail]));
  });

  it('refuses the options of the test build when it is the shipped one', async () => {
    for (const option of ['--abi', '--fail']) {
      expectNothingRan(await tryTo((tmp) => withOptions(whole(tools.launcher, tmp), option, '1')));
    }
  });

  it('exits with 127 when the program does not exist, as a shell does', async () => {
    const result = await tryTo((tmp) => whole(tools.launcher, tmp, ['no-such-program']));
    expect(result).toMatchObject({
      started: false,
      code: 127,
      why: 'exec: no-such-program: No such file or directory',
    });
  });

  it("reports the command's own 126 in the status file, unlike its own", async () => {
    const tmp = createPrivateTmp();
    const ran = await run(whole(tools.launcher, tmp, ['sh', '-c', 'exit 126']));
    expect([ran.code, tmp.status()]).toEqual([126, { kind: 'exited', code: 126, left: 0 }]);
    tmp.dispose();
  });

  it('refuses too many nested sandboxes', async () => {
    const result = await tryTo((tmp) => {
      const layer = (inner: readonly string[]): readonly string[] => [tools.launcher, '--', ...inner];
      let argv: readonly string[] = ['echo', 'it ran'];
      for (let depth = 0; depth < 17; depth++) argv = layer(argv);
      return whole(tools.launcher, tmp, argv);
    });
    expect(result.out).toBe('');
    expect(result.err).toMatch(/the command was not run\n$/);
  });
});
