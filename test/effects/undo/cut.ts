/** Kills an undo right before one of its system calls. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { lacks, pathOf } from '../../support/lacks.ts';
import type { Tools } from '../sandbox/tools.ts';
import { asNobody, type Scene } from './scene.ts';

const KILLED = 77;

export type Acted = { readonly scene: Scene; readonly number: number; readonly ordinary: boolean };

/**
 * Kills an undo of that action before its N-th call that changes a file. Returns the directory with the files that the
 * undo replaced, or undefined if it had fewer calls. `into`: the directory of a killed undo that is started again.
 */
export function builtCut(tools: () => Tools): (acted: Acted, at: number, into?: string) => string | undefined {
  const cut = () => join(tools().directory, 'cut');
  beforeAll(() => {
    if (!lacks('cc')) execFileSync(pathOf('cc') ?? 'cc', ['-O1', '-o', cut(), join(import.meta.dirname, 'cut.c')]);
  });
  return ({ scene, number, ordinary }, at, into) => {
    const directory = into ?? scene.next().directory;
    const store = join(scene.store, String(number));
    const [program = '', ...args] = [...(ordinary ? asNobody : []), cut(), String(at), tools().launcher];
    const ran = spawnSync(program, [...args, '--undo', store, '--into', directory], { stdio: 'ignore' });
    return ran.status === KILLED ? directory : undefined;
  };
}
