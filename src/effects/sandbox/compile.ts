/** Builds the launcher in the build step, with nothing but Node; it imports only lists from the program. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { knowledgeHeader } from '../../knowledge/header.ts';

const run = promisify(execFile);

/** The launcher has its own small runtime, so it links against no library and is static everywhere. */
const FLAGS = [
  '-std=gnu11',
  '-O2',
  '-Wall',
  '-Wextra',
  '-ffreestanding',
  '-fno-stack-protector',
  '-fno-tree-loop-distribute-patterns',
  '-fno-asynchronous-unwind-tables',
  '-fno-pie',
  '-U_FORTIFY_SOURCE',
  '-static',
  '-no-pie',
  '-nostdlib',
  '-s',
];

const INSTALL =
  'install a C compiler with its headers (Debian, Ubuntu: apt install gcc libc6-dev · Fedora: dnf install gcc glibc-devel · Alpine: apk add gcc musl-dev linux-headers)';

export type Compiled = { readonly ok: true } | { readonly ok: false; readonly why: string };

/**
 * Compiles the C files of the directory `source` into the static program `output`, replacing it in one step.
 * `cc` names the compiler with its leading arguments (`['zig', 'cc', '--target=aarch64-linux-musl']`); default `$CC`
 * or `cc`. `testHooks` adds the options by which tests force set-up steps to fail; never for a build that is used.
 * Never throws: a failure says in one line what to do.
 */
export async function compileLauncher(options: {
  readonly source: string;
  readonly output: string;
  readonly cc?: readonly string[];
  readonly testHooks?: boolean;
}): Promise<Compiled> {
  const [program = 'cc', ...leading] = options.cc ?? [process.env.CC ?? 'cc'];
  const fresh = `${options.output}.${process.pid}.new`;
  const headers = `${fresh}.headers`;
  try {
    const files = (await readdir(options.source)).filter((name) => name.endsWith('.c')).sort();
    const sources = files.map((name) => join(options.source, name));
    const hooks = options.testHooks ? ['-DTEST_HOOKS'] : [];
    await mkdir(headers);
    await writeFile(join(headers, 'knowledge.h'), knowledgeHeader());
    await run(program, [...leading, ...FLAGS, ...hooks, '-I', headers, ...sources, '-o', fresh]);
    await rename(fresh, options.output);
    return { ok: true };
  } catch (error) {
    await rm(fresh, { force: true });
    return { ok: false, why: explain(error, program) };
  } finally {
    await rm(headers, { recursive: true, force: true });
  }
}

function explain(error: unknown, program: string): string {
  // Node reports EACCES where a directory of PATH is closed to this account.
  const missing =
    error instanceof Error && 'path' in error && 'code' in error && /^(?:ENOENT|EACCES)$/.test(String(error.code));
  if (missing && error.path === program) return `no C compiler (${program}): ${INSTALL}`;
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  const first = text.split('\n').find((line) => /error|undefined/i.test(line)) ?? text.split('\n')[0] ?? '';
  return `the launcher did not compile (${first.trim()}): ${INSTALL}`;
}
