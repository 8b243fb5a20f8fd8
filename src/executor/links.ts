import type { IBufferCell, Terminal } from '@xterm/headless';
import { clean } from '../text/sanitize.ts';

/** Gives the target of the hyperlink that a cell is part of; '' where there is none, or none that is safe. */
export type LinkOf = (cell: IBufferCell) => string;

/** Target by the number that the terminal has for it; cleared when it has grown to so many. */
const MOST_KNOWN = 1000;

/**
 * Reads OSC 8 hyperlinks out of a terminal. @xterm/headless 6 keeps them and tells them to nobody, so its inside is looked
 * at; where that looks different there are no links. What is no target that `clean` lets pass is none either (EX-9).
 */
export function linkReader(terminal: Terminal): LinkOf {
  const service = inside(inside(terminal, '_core'), '_oscLinkService');
  const known = new Map<number, string>();
  return (cell) => {
    if (!hasMore(cell)) return '';
    const id = inside(inside(cell, 'extended'), 'urlId');
    if (typeof id !== 'number' || id === 0) return '';
    let target = known.get(id);
    if (target === undefined) {
      if (known.size > MOST_KNOWN) known.clear();
      target = safe(inside(call(service, 'getLinkData', id), 'uri'));
      known.set(id, target);
    }
    return target;
  };
}

/** Without this the cell may still hold what the one before had. */
function hasMore(cell: IBufferCell): boolean {
  const more = call(cell, 'hasExtendedAttrs');
  return typeof more === 'number' && more !== 0;
}

function safe(target: unknown): string {
  if (typeof target !== 'string') return '';
  const open = openLink(target);
  return clean(`${open}x`).startsWith(open) ? target : '';
}

function inside(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function call(value: unknown, name: string, ...args: readonly unknown[]): unknown {
  const method = inside(value, name);
  return typeof method === 'function' ? Reflect.apply(method, value, args) : undefined;
}

/** Begins a hyperlink; '' ends one. */
export function openLink(target: string): string {
  return `\x1b]8;;${target}\x1b\\`;
}
