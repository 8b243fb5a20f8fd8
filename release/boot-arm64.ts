/**
 * The launcher for arm64 on a small arm64 system in emulation: Debian's kernel, its busybox, the launcher, nothing else.
 * Needs qemu-system-aarch64, apt-get, dpkg-deb and Debian's mirror; the packages are fetched for another architecture into
 * a folder of their own, so nothing is installed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT } from './manifest.ts';

const NEEDED = ['qemu-system-aarch64', 'apt-get', 'dpkg-deb'];
/** It boots in seconds; emulation on a busy machine takes its time. */
const BOOT_TIMEOUT_MS = 180_000;
const DIRECTORY = 0o040755;
const PROGRAM = 0o100755;
const LINK = 0o120777;

export type Booted =
  | { readonly ok: true; readonly lines: readonly string[] }
  | { readonly ok: false; readonly why: string };

/** Boots and tries `launcher`; `why` where this machine can't. Throws when a trial came out wrong. */
export function bootArm64(launcher: string): Booted {
  const missing = NEEDED.filter((name) => spawnSync(name, ['--version']).error !== undefined);
  if (missing.length > 0) return { ok: false, why: `no ${missing.join(', ')} here` };
  const place = mkdtempSync(join(tmpdir(), 'aish-arm64-'));
  try {
    const debian = fetchDebian(place);
    if (debian === undefined) return { ok: false, why: "Debian's packages for arm64 could not be fetched" };
    const initramfs = join(place, 'initramfs');
    writeFileSync(initramfs, gzipSync(archive(debian.busybox, readFileSync(launcher))));
    return { ok: true, lines: verdicts(boot(debian.kernel, initramfs)) };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

type Debian = { readonly kernel: string; readonly busybox: Buffer };

function fetchDebian(place: string): Debian | undefined {
  for (const name of ['state/lists/partial', 'cache/archives/partial', 'root'])
    mkdirSync(join(place, name), { recursive: true });
  writeFileSync(join(place, 'status'), '');
  const settings = [
    'APT::Architecture=arm64',
    'APT::Architectures=arm64',
    'APT::Sandbox::User=',
    `Dir::State=${join(place, 'state')}`,
    `Dir::State::status=${join(place, 'status')}`,
    `Dir::Cache=${join(place, 'cache')}`,
  ].flatMap((setting) => ['-o', setting]);
  const apt = (program: string, ...words: string[]) =>
    spawnSync(program, [...settings, ...words], { cwd: place, encoding: 'utf8' });
  if (apt('apt-get', '--quiet', 'update').status !== 0) return undefined;
  const kernel = /Depends: (linux-image-\S+)/.exec(apt('apt-cache', 'depends', 'linux-image-arm64').stdout)?.[1];
  if (kernel === undefined || apt('apt-get', 'download', kernel, 'busybox-static').status !== 0) return undefined;
  for (const name of readdirSync(place).filter((name) => name.endsWith('.deb')))
    execFileSync('dpkg-deb', ['--extract', join(place, name), join(place, 'root')]);
  const image = readdirSync(join(place, 'root/boot')).find((name) => name.startsWith('vmlinuz'));
  if (image === undefined) throw new Error(`${kernel} holds no kernel`);
  return { kernel: join(place, 'root/boot', image), busybox: readFileSync(join(place, 'root/bin/busybox')) };
}

/** What the kernel unpacks as its first file system (cpio, "newc"). */
function archive(busybox: Buffer, launcher: Buffer): Buffer {
  const init = readFileSync(join(ROOT, 'release/boot-arm64.sh'));
  const entries: readonly (readonly [path: string, mode: number, content: Buffer])[] = [
    ...['bin', 'dev', 'proc', 'sys', 'tmp', 'work'].map((name) => [name, DIRECTORY, Buffer.alloc(0)] as const),
    ['bin/busybox', PROGRAM, busybox],
    ['bin/sh', LINK, Buffer.from('busybox')],
    ['aish-sandbox', PROGRAM, launcher],
    ['init', PROGRAM, init],
    ['TRAILER!!!', 0, Buffer.alloc(0)],
  ];
  return Buffer.concat(entries.flatMap(([path, mode, content], at) => [...record(path, mode, content, at + 1)]));
}

function* record(path: string, mode: number, content: Buffer, inode: number): Generator<Buffer> {
  const name = Buffer.from(`${path}\0`);
  const fields = [inode, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length, 0];
  const header = Buffer.from(`070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`);
  yield padded(Buffer.concat([header, name]));
  yield padded(content);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

function boot(kernel: string, initramfs: string): string {
  const machine = ['-machine', 'virt', '-cpu', 'cortex-a57', '-m', '512', '-nic', 'none', '-nographic', '-no-reboot'];
  const { stdout } = spawnSync(
    'qemu-system-aarch64',
    [...machine, '-kernel', kernel, '-initrd', initramfs, '-append', 'console=ttyAMA0 quiet panic=-1'],
    { encoding: 'utf8', timeout: BOOT_TIMEOUT_MS, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  return stdout;
}

/** The init says `ok …` or `wrong …` for each trial, and `done` at the end. */
function verdicts(said: string): readonly string[] {
  const lines = said.split(/\r?\n/).filter((line) => /^(?:ok|wrong|done)\b/.test(line));
  if (lines.at(-1) !== 'done' || lines.some((line) => line.startsWith('wrong')))
    throw new Error(`the launcher for arm64 failed its trial:\n${said.slice(-4000)}`);
  return lines.slice(0, -1);
}
