/** What a patch may change in Project mode: the same as the kernel lets a command change there (MO-9). */
import { runsLater } from '../../knowledge/control-files.ts';

const ASK = 'Use request_mode_upgrade to request write access.';

/**
 * Why a file is out of reach; undefined: it is not.
 * @param file absolute, behind all links
 * @param tree behind all links; null where there is none
 * @param links how many names it has; one of them may lie outside the tree
 */
export function beyondTree(file: string, tree: string | null, links = 1n): string | undefined {
  if (tree === null) return `can't be patched: Project mode has no tree here. ${ASK}`;
  if (!file.startsWith(`${tree}/`)) return `lies outside ${tree}, the project's tree. ${ASK}`;
  const what = runsLater(file.slice(tree.length + 1));
  if (what !== undefined) return `${what}, which is out of reach in Project mode. ${ASK}`;
  return links > 1n ? `has several names (hard links), and one may lie outside the project. ${ASK}` : undefined;
}
