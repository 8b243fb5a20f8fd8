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
  /** One row each. They are cut to the width, never wrapped: wrapping happened where they were made. */
  readonly lines: () => readonly string[];
  /** The source of lines that change without a commit of React. */
  readonly source?: Changing;
  /** The terminal's cursor, relative to the start of the first line, if this surface owns it. */
  readonly cursor?: (() => Cell | undefined) | undefined;
  /** Makes room for what is below it; then its last lines are shown. */
  readonly shrinks?: boolean;
  /** Told where it stands, in rows of the screen, whenever that was looked at. */
  readonly onPlace?: ((place: { readonly y: number; readonly height: number }) => void) | undefined;
};

const NEVER: Changing = { version: 0, subscribe: () => () => {} };

/**
 * A place that Ink keeps free and the compositor paints: no text in Ink's tree, no frame for another line of the same
 * height. Without a compositor (a screen reader, a test of a component) the lines are Ink's own text.
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
          // A row is its place on the screen; there is nothing else to tell it by.
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity
          <Text key={index} wrap="truncate">
            {line || ' '}
          </Text>
        ))}
      </Box>
    </Box>
  );
}
