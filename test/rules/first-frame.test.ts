import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What `aish-tui` has loaded when its first frame is drawn and keys are taken (src/cli/main.ts). */
const ENTRIES = ['src/cli.ts', 'src/config/glance.ts', 'src/screen/first-frame.ts', 'src/render/theme.ts'];

const OWN = [
  'package.json',
  'src/app/options.ts',
  'src/cli.ts',
  'src/cli/exit-codes.ts',
  'src/cli/heap.ts',
  'src/cli/main.ts',
  'src/config/config.ts',
  'src/config/glance.ts',
  'src/editor/commands.ts',
  'src/editor/edit.ts',
  'src/editor/layout.ts',
  'src/editor/motion.ts',
  'src/editor/state.ts',
  'src/keymap/chord.ts',
  'src/keymap/resolver.ts',
  'src/keymap/table.ts',
  'src/render/cells.ts',
  'src/render/compositor.ts',
  'src/render/output.ts',
  'src/render/segments.ts',
  'src/render/shift.ts',
  'src/render/theme.ts',
  'src/render/tokens.ts',
  'src/render/writer.ts',
  'src/screen/entries/frame.ts',
  'src/screen/first-frame.ts',
  'src/screen/layout.ts',
  'src/screen/prompt-view.ts',
  'src/screen/store.ts',
  'src/screen/ui.ts',
  'src/terminal/capabilities.ts',
  'src/terminal/fences.ts',
  'src/terminal/input.ts',
  'src/terminal/key-stream.ts',
  'src/terminal/modes.ts',
  'src/terminal/scan.ts',
  'src/terminal/schedule.ts',
  'src/terminal/sequences.ts',
  'src/terminal/terminal.ts',
  'src/terminal/tokenizer.ts',
  'src/terminal/tty.ts',
  'src/text/display.ts',
  'src/text/errors.ts',
  'src/text/escape-sequences.ts',
  'src/text/sanitize.ts',
  'src/text/short-path.ts',
  'src/text/style.ts',
  'src/text/wrap.ts',
];

/** Each costs every start its time. */
const PACKAGES = ['ansi-regex', 'get-east-asian-width', 'string-width', 'strip-ansi'];
const MAX_BYTES = 118_000;

it('the first frame loads these modules, and no other', async () => {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/cli.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    minifySyntax: true,
    minifyWhitespace: true,
    packages: 'bundle',
    external: ['node-pty', 'react-devtools-core'],
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const each of metafile.outputs[path]?.imports ?? [])
      if (each.kind === 'import-statement' && !each.external) load(each.path);
  };
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs))
    if (entryPoint && ENTRIES.includes(entryPoint)) load(path);
  const outputs = [...loaded].map((path) => metafile.outputs[path]);
  const inputs = outputs.flatMap((output) => Object.entries(output?.inputs ?? {}));
  const counted = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  const packages = counted.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  expect([...new Set(packages)].sort()).toEqual(PACKAGES);
  expect(counted.filter((path) => !path.includes('node_modules/')).sort()).toEqual(OWN);
  expect(outputs.reduce((sum, output) => sum + (output?.bytes ?? 0), 0)).toBeLessThan(MAX_BYTES);
});
