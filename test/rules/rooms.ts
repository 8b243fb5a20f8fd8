/** The rooms of the house and who may know whom. */

/** Services stand side by side: none knows another. */
const SERVICES = [
  'broker',
  'config',
  'costs',
  'executor',
  'fleet',
  'hosts',
  'router',
  'safety',
  'sandbox',
  'secrets',
  'store',
  'tools',
  'undo',
] as const;

/** What draws and reads the terminal, and knows nothing of the engine. */
const DRAWING = ['text', 'terminal', 'keymap', 'editor', 'render'];
const MACHINE = ['commands', 'engine', 'contracts', 'session'];

/** By room: the rooms that it may import from, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  cli: ['app', 'screen', 'plain', ...MACHINE, ...SERVICES, ...DRAWING],
  app: [...MACHINE, ...SERVICES, 'text'],
  components: ['hooks', 'screen', ...DRAWING],
  hooks: ['screen', ...MACHINE, ...DRAWING],
  plain: ['screen', ...MACHINE, ...DRAWING],
  screen: [...MACHINE, ...DRAWING],
  commands: ['engine', 'contracts', 'session', 'text'],
  engine: ['contracts', 'session', 'text'],
  ...Object.fromEntries(SERVICES.map((service) => [service, ['contracts', 'session', 'text']])),
  contracts: ['session', 'text'],
  session: ['text'],
  keymap: ['terminal', 'text'],
  render: ['text'],
  editor: ['text'],
  terminal: ['text'],
  text: [],
};

/** Rooms that are loaded when there is somebody to see them, and not before. */
const LATE = ['components', 'plain'];

/** The room of a path relative to the project's folder; undefined for a place in `src/` that has no room. */
export function roomOf(path: string): string | undefined {
  const [top = '', second = '', third] = path.split('/');
  if (top === 'components' || top === 'hooks') return top;
  // Tests, documents and tools look at everything; nothing looks at them.
  if (top !== 'src') return 'outside';
  if (third === undefined) return second === 'cli.ts' ? 'cli' : undefined;
  return second in MAY_IMPORT && second !== 'components' && second !== 'hooks' ? second : undefined;
}

/** Why a file of `from` must not import from `to`; undefined where it may. `lazy`: by `import()`, when it is needed. */
export function whyNot(from: string, to: string, lazy: boolean): string | undefined {
  if (from === 'outside' || from === to) return undefined;
  if (to === 'outside') return 'nothing of the program imports from outside components, hooks and src';
  if (from === 'cli' && LATE.includes(to)) {
    return lazy ? undefined : 'the command line loads the screen only when there is one: use import()';
  }
  const allowed = MAY_IMPORT[from] ?? [];
  if (allowed.includes(to)) return undefined;
  return `${from} may import ${allowed.length === 0 ? 'nothing' : `from ${allowed.join(', ')}`}; not from ${to}`;
}
