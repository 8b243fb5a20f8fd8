/** The directories of the source, called rooms, and their permitted imports. */

/** Services are independent: none imports another. */
const SERVICES = [
  'broker',
  'config',
  'costs',
  'effects',
  'executor',
  'remote',
  'router',
  'safety',
  'secrets',
  'store',
  'tools',
] as const;

/** The lowest rooms (parts of src): every other room may import from them. */
const BASE = ['text', 'knowledge'];
/** Rooms that draw and read the terminal, without knowing the engine. */
const DRAWING = ['ui/terminal', 'ui/keymap', 'ui/editor', 'ui/render', ...BASE];
const MACHINE = ['commands', 'engine', 'contracts', 'session'];

/** For each room (a directory of src) the other rooms that it may import from. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  integrations: ['cli', 'app', 'ui/screen', ...MACHINE, ...SERVICES, ...DRAWING],
  cli: ['integrations', 'app', 'ui/screen', 'ui/plain', ...MACHINE, ...SERVICES, ...DRAWING],
  app: ['fleet', ...MACHINE, ...SERVICES, ...BASE],
  fleet: ['engine', 'contracts', 'session', ...SERVICES, ...BASE],
  components: ['hooks', 'ui/screen', ...DRAWING],
  hooks: ['ui/screen', ...MACHINE, ...DRAWING],
  'ui/plain': ['ui/screen', ...MACHINE, ...DRAWING],
  'ui/screen': [...MACHINE, ...DRAWING],
  commands: ['engine', 'contracts', 'session', ...BASE],
  engine: ['contracts', 'session', ...BASE],
  ...Object.fromEntries(SERVICES.map((service) => [service, ['contracts', 'session', ...BASE]])),
  contracts: ['session', ...BASE],
  session: BASE,
  'ui/keymap': ['ui/terminal', ...BASE],
  'ui/render': BASE,
  'ui/editor': BASE,
  'ui/terminal': BASE,
  knowledge: ['text'],
  text: [],
};

/** Rooms that the command line loads only when they are needed. */
const LATE = ['components', 'ui/plain', 'integrations'];

/** Returns the room of a path relative to the project's folder; undefined for a place in `src/` that has no room. */
export function roomOf(path: string): string | undefined {
  const [top = '', second = '', third, fourth] = path.split('/');
  if (top === 'components' || top === 'hooks') return top;
  // Tests, documents and tools may import anything, and nothing imports them.
  if (top !== 'src') return 'outside';
  if (third === undefined) return second === 'cli.ts' ? 'cli' : undefined;
  const room = second === 'ui' && fourth !== undefined ? `ui/${third}` : second;
  return room in MAY_IMPORT && room !== 'components' && room !== 'hooks' ? room : undefined;
}

/**
 * Returns why a file of `from` must not import from `to`; undefined where it may. `lazy`: by `import()`, when it is
 * needed.
 */
export function whyNot(from: string, to: string, lazy: boolean): string | undefined {
  if (from === 'outside' || from === to) return undefined;
  if (to === 'outside') return 'nothing of the program imports from outside components, hooks and src';
  if (from === 'cli' && LATE.includes(to)) {
    return lazy ? undefined : 'the command line loads it only when it is needed: use import()';
  }
  const allowed = MAY_IMPORT[from] ?? [];
  if (allowed.includes(to)) return undefined;
  return `${from} may import ${allowed.length === 0 ? 'nothing' : `from ${allowed.join(', ')}`}; not from ${to}`;
}
