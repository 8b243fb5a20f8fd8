/**
 * A host where a program poses as the launcher and lies about trials, kept files and leftovers. Every answer is
 * bounded, checked against the request and shown escaped; over a real sshd.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRemoteUndo, trialsOfAll } from '../../../src/app/remote-undo.ts';

import type { Trials } from '../../../src/contracts/trials.ts';
import { builtKit, hostsOf, unaborted } from '../../support/hosts.ts';
import { lacksSshd, type SshHost, startSshd } from '../../support/sshd.ts';

const notHere = () => Promise.reject(new Error('tried on this machine'));
const here: Trials = {
  unavailable: () => Promise.resolve('not on this machine'),
  ...{ start: notHere, diff: notHere, apply: notHere, discard: notHere, discardAbandoned: notHere },
};

const LAUNCHER = fileURLToPath(new URL('../../../dist/aish-sandbox', import.meta.url));

/**
 * A launcher that claims to confine when it is tested, and otherwise prints the contents of the file named after the
 * request.
 */
const launcherThat = (lies: string) => `#!/bin/sh
case $1 in
  --records|--open|--put|--drop)
    [ "$1" != --records ] || [ ! -s ${lies}/records ] || { . ${lies}/records; exit; }
    exec ${LAUNCHER} "$@" ;;
esac
for word do
  case $word in --changes|--undo|--apply|--selftest|--help|--trial) asked=\${asked:-$word} ;; --) break ;; esac
  case $before in --status) status=$word ;; --project) tree=$word ;; --keep) keep=$word ;; --changes|--undo) store=$word ;; --tree) tree=$word ;; esac
  before=$word
done
case $asked in
  --help) exit 0 ;;
  --selftest) printf 'abi 6\\nfilesystem ok\\ntemporary ok\\nnetwork ok\\nsignals ok\\n'; exit 0 ;;
  --changes|--undo|--apply)
    case $store in
      */probe-*)
        [ $asked = --undo ] && printf 'created\\0x\\0\\0' || printf 'A f 420 0 1 -\\0%s/made\\0' "$tree"
        exit 0 ;;
    esac
    . ${lies}/\${asked#--}
    exit ;;
esac
[ -z "$keep" ] || echo 'created 1 deleted 1 changed 0 moved 0 bytes 10 touched 2' >"$keep/summary"
[ -z "$status" ] || echo 'exit 0 left 0' >"$status"
[ "$asked" != --trial ] || exit 0
case $tree in */probe-*) : >"$tree/made"; exit 0 ;; esac
while [ "$1" != -- ]; do shift; done
shift
[ -z "$tree" ] || cd "$tree"
exec "$@"
`;

const UNREADABLE = 'can’t be read';
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

describe.skipIf(lacksSshd())('a host where another program poses as the launcher', () => {
  let server: SshHost;
  let at: ReturnType<typeof hostsOf>;
  const folders = ['lies-', 'home-', 'work-'].map((name) => mkdtempSync(join(tmpdir(), name)));
  const [lies = '', home = '', work = ''] = folders;
  const bytes = Buffer.from(launcherThat(lies));
  const kit = { ...builtKit, program: () => ({ bytes, hash: createHash('sha256').update(bytes).digest('hex') }) };
  const undo = { budget: 2000, days: 7, max_file: 256, credentials: false };
  const warnings: string[] = [];
  const bus = { show: (text: string) => warnings.push(text), engine: { conversation: {} } };
  const needs = { config: { undo }, session: 's', hide: (text: string) => text, bus } as never;
  const there = createRemoteUndo(needs, () => at.hosts);
  const store = () => there.store('web1') ?? expect.unreachable();
  const trials = trialsOfAll(here, there.trials);
  /** Sets the launcher’s answer to this request, as code for sh. */
  const says = (asked: 'changes' | 'undo' | 'apply' | 'records', code: string) =>
    writeFileSync(join(lies, asked), code === '' ? '' : `${code}\n`);

  beforeAll(async () => {
    for (const asked of ['changes', 'undo', 'apply'] as const) says(asked, ':');
    mkdirSync(join(work, '.git'));
    server = await startSshd('web1', { home });
    at = hostsOf(server, kit, there.keep);
    await at.open();
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
  });
  afterAll(async () => {
    await at?.hosts.close();
    await server?.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const tried = async () => {
    const { outcome } = await trials.start('rm -rf build', {
      cwd: `web1:${work}`,
      signal: unaborted,
      mode: 'unrestricted',
    });
    return outcome;
  };

  it.each([
    ['for paths outside the tree', `printf 'D f 420 1 1 -\\0/etc/passwd\\0'`, 'can’t be read'],
    ['with .. in a path', `printf 'D f 420 1 1 -\\0%s/../x\\0' "$tree"`, 'can’t be read'],
    ['of an unknown form', `printf 'D f 420 1 1\\0'`, 'can’t be read'],
    ['of NUL bytes only', `head -c 15000000 /dev/zero`, 'can’t be read'],
    [
      'too long',
      `yes "D f 420 1 1 -$(printf '\\t')$tree/x" | head -c 20000000 | tr '\\t\\n' '\\0\\0'`,
      'more than can be listed',
    ],
    ['that is endless', `yes`, 'does not answer'],
    ['with an error that has terminal escapes', `printf '\\033]0;owned\\007no\\033[2J' >&2; exit 3`, 'no'],
  ])('has its list of changes %s rejected', async (_, code, why) => {
    says('changes', code);
    const told = await tried();
    expect(told).toMatchObject({ kind: 'cannotTell', why: expect.stringContaining(why) });
    expect(told.kind === 'cannotTell' && CONTROL.test(told.why)).toBe(false);
    // The next question is still answered.
    expect((await at.run('echo on')).head).toBe('on');
  });

  it.each([
    ['of another form', 'echo x', UNREADABLE],
    ['of NUL bytes only', 'head -c 900000 /dev/zero', UNREADABLE],
    ['that are endless', 'yes', 'does not answer'],
    ['with its own exit code', 'exit 3', 'does not answer'],
    ['of no action', `printf 'action\\0../7\\0{}\\0action\\0008\\0{}\\0'`, 'nothing to undo'],
  ])('has its records %s rejected', async (_, code, why) => {
    says('records', code);
    const { ok, text } = await store().undo('last');
    says('records', '');
    expect([ok, text]).toEqual([false, expect.stringContaining(why)]);
  });

  it.each([
    [
      'with terminal escapes',
      `printf 'deleted\\0/etc/\\033[2Jx\\0../../../../etc/passwd\\0refused\\0/z\\0\\033[31m\\0'`,
      'restores      /etc/⟨U+001B⟩[2Jx',
    ],
    ['of another form', `printf '\\033]0;x\\007\\0/y\\0\\0'`, UNREADABLE],
    [
      'with an endless name',
      `printf 'deleted\\0/'; head -c 1000000 /dev/zero | tr '\\000' x; printf '\\0\\0'`,
      UNREADABLE,
    ],
    [
      'about what is not a file',
      `printf 'changed\\0/dev/zero\\0../../../../../dev/zero\\0'`,
      'changes back  /dev/zero',
    ],
    ['of NUL bytes only', 'head -c 30000000 /dev/zero', UNREADABLE],
    ['of millions of names', `yes 'created./x.' | tr -d '\\n' | tr . '\\000' | head -c 30000000`, UNREADABLE],
    ['that is endless', 'yes', 'does not answer'],
    ['with its own exit code', 'exit 200', ''],
  ])('has its answer about an undo, %s, shortened and escaped', async (_, code, shown) => {
    says('undo', ':');
    expect((await at.run('true', `web1:${work}`)).exit).toBe(0);
    says('undo', code);
    const before = process.cpuUsage();
    const { text: told } = await store().preview('last');
    expect(told).toContain(shown);
    const { text: done } = await store().undo('last');
    const { user, system } = process.cpuUsage(before);
    for (const text of [told, done]) expect([CONTROL.test(text), text.length < 5000]).toEqual([false, true]);
    // Splitting tens of megabytes would take several seconds and more than a gigabyte.
    expect((user + system) / 1e6).toBeLessThan(3);
  });

  it.each([
    ['with .. in a path', `printf 'made\\0/srv/../etc/x\\0f 1 1 1 1\\0'`],
    ['that are invalid', `printf 'made\\0x\\0f 1 1 1 1\\0'`],
    ['of NUL bytes only', 'head -c 30000000 /dev/zero'],
    ['by the million', `yes "made.${work}/x.f 1 1 1 1." | tr -d '\\n' | tr . '\\000' | head -c 30000000`],
    ['without end', 'yes'],
  ])('has names of leftovers %s ignored, and the user is asked', async (_, code) => {
    says('undo', code);
    const running = await at.start('true', `web1:${work}`, {}, 'project');
    expect((await running.result).exit).toBe(0);
    const left = await there.left(running);
    expect(left).toMatchObject({ about: 'later', items: [expect.stringMatching(/could not be looked through/)] });
    expect(CONTROL.test(left?.items.join() ?? '')).toBe(false);
  });
});
