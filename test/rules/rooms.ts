/** The rooms of the house and who may know whom. */

/** The order from top to bottom: a file imports from its own room and from rooms below it. */
const LAYERS = ['components', 'hooks', 'commands', 'engine', 'services', 'session'] as const;

type Layer = (typeof LAYERS)[number];

/** Services stand side by side: each may know the session's vocabulary, none another service. */
const SERVICES = ['broker', 'executor', 'safety', 'sandbox', 'tools', 'secrets', 'costs', 'store', 'config', 'router'];

export type Room = { readonly name: string; readonly layer: Layer | 'cli' | 'outside' };

/** The room of a path relative to the project's folder; undefined for a place in `src/` that has no room. */
export function roomOf(path: string): Room | undefined {
  const [top = '', second = '', third] = path.split('/');
  if (top === 'components' || top === 'hooks') return { name: top, layer: top };
  // Tests, documents and tools look at everything; nothing looks at them.
  if (top !== 'src') return { name: top, layer: 'outside' };
  if (third === undefined) return second === 'cli.ts' ? { name: 'cli', layer: 'cli' } : undefined;
  if (second === 'cli') return { name: 'cli', layer: 'cli' };
  if (second === 'commands' || second === 'engine' || second === 'session') return { name: second, layer: second };
  return SERVICES.includes(second) ? { name: second, layer: 'services' } : undefined;
}

/** Why a file of `from` must not import from `to`; undefined where it may. `lazy`: by `import()`, when it is needed. */
export function whyNot(from: Room, to: Room, lazy: boolean): string | undefined {
  if (from.layer === 'outside' || (from.layer === to.layer && from.name === to.name)) return undefined;
  if (to.layer === 'outside') return 'nothing of the program imports from outside components, hooks and src';
  if (from.layer === 'cli') {
    const screen = to.layer === 'components' || to.layer === 'hooks';
    return screen && !lazy ? 'the command line loads the screen only when there is one: use import()' : undefined;
  }
  if (to.layer === 'cli') return 'nothing imports the command line';
  if (from.layer === 'services' && to.layer === 'services') {
    return 'services do not know each other: the engine hands one to another as a plain function';
  }
  if (LAYERS.indexOf(from.layer) < LAYERS.indexOf(to.layer)) return undefined;
  return `imports go downwards: ${LAYERS.join(' → ')}`;
}
