import { useCallback } from 'react';
import { lineWidth } from '../src/text/wrap.ts';
import type { Paint, Role } from '../src/ui/render/theme.ts';
import { Surface } from './Surface.tsx';

type Props = {
  readonly lines: readonly string[];
  readonly shrinks?: boolean;
  readonly onPlace?: (place: { readonly y: number; readonly height: number }) => void;
};

/** Ready-made lines, one row each. */
export function Lines({ lines, shrinks = false, onPlace }: Props) {
  const get = useCallback(() => lines, [lines]);
  return <Surface lines={get} shrinks={shrinks} onPlace={onPlace} />;
}

/** A horizontal rule with a title at its left, already painted, and a note at its right where there is room. */
export function rule(title: string, note: string, columns: number, role: Role, paint: Paint): string {
  const left = 2;
  const room = columns - left - lineWidth(title);
  const fits = lineWidth(note) + 2 <= room ? note : '';
  return paint(role, '━'.repeat(left)) + title + paint(role, '━'.repeat(Math.max(0, room - lineWidth(fits)))) + fits;
}
