import { Box, type DOMElement, measureElement, Text } from 'ink';
import { useCallback, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { useScreen } from '../hooks/context.ts';
import { lineWidth } from '../src/text/wrap.ts';
import type { Paint, Role } from '../src/ui/render/theme.ts';
import type { Cell } from '../src/ui/render/writer.ts';
import type { Changing } from '../src/ui/screen/frames.ts';

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

type SurfaceProps = {
  /** Returns one line for each row, already wrapped by the caller; longer ones are cut. */
  readonly lines: () => readonly string[];
  /** Reports changes of the lines that need no React commit. */
  readonly source?: Changing;
  /** The terminal's cursor, relative to the start of the first line, if this surface owns it. */
  readonly cursor?: (() => Cell | undefined) | undefined;
  /** Gives up rows to the components below it and then shows only its last lines. */
  readonly shrinks?: boolean;
  /** Called with the surface's place, in rows of the screen, after each layout. */
  readonly onPlace?: ((place: { readonly y: number; readonly height: number }) => void) | undefined;
};

const NEVER: Changing = { version: 0, subscribe: () => () => {} };

/**
 * Rows that Ink keeps free and the compositor paints: Ink's tree has no text there, and a changed line of the same
 * height needs no frame of Ink. Without a compositor (screen reader, component test) Ink draws the lines itself.
 */
export function Surface({ lines, source = NEVER, cursor, shrinks = false, onPlace }: SurfaceProps) {
  const { compositor } = useScreen();
  const ref = useRef<DOMElement>(null);
  useSyncExternalStore(source.subscribe, () => (compositor ? lines().length : source.version));
  useLayoutEffect(() => {
    const node = ref.current;
    if (!compositor || !node) return;
    const measure = () => {
      const place = measureElement(node);
      onPlace?.(place);
      return place;
    };
    const surface = { measure, lines, cursor };
    const remove = compositor.add(surface);
    const unsubscribe = source.subscribe(() => compositor.paint(surface));
    return () => {
      unsubscribe();
      remove();
    };
  }, [compositor, lines, source, cursor, onPlace]);
  const shown = lines();
  if (compositor) return <Box ref={ref} height={shown.length} flexShrink={shrinks ? 1 : 0} />;
  return (
    <Box flexDirection="column" justifyContent="flex-end" flexShrink={shrinks ? 1 : 0} overflowY="hidden">
      <Box flexDirection="column" flexShrink={0}>
        {shown.map((line, index) => (
          // A row has no identity but its place on the screen.
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity
          <Text key={index} wrap="truncate">
            {line || ' '}
          </Text>
        ))}
      </Box>
    </Box>
  );
}
