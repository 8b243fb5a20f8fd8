import { collectAbandoned } from '../executor/index.ts';
import { type Log, pruneOutputs } from '../store/index.ts';
import type { Environment } from './environment.ts';

const BYTES_PER_MB = 1_000_000;

/** Takes away what earlier sessions left beyond the budget, and what killed ones left in the temporary directory (RE-7). */
export async function tidyDisk({ config, sessions }: Environment, log: Log): Promise<void> {
  const { total_mb: total, days } = config.disk;
  const folders = collectAbandoned();
  const bytes = await pruneOutputs(sessions, { totalBytes: total * BYTES_PER_MB, days }, Date.now());
  if (folders > 0 || bytes > 0) log.write('info', 'disk tidied', { outputBytes: bytes, temporaryFolders: folders });
}
