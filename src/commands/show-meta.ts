import type { Engine } from '../engine/engine.ts';

let serial = 0;

/** Shows a `:` command's output under its line. */
export function showMeta(engine: Engine, line: string, text: string, failed: boolean): void {
  serial += 1;
  engine.showLocal({ kind: 'show', key: `meta${serial}`, entry: { kind: 'meta', line: line.trim(), text, failed } });
}
