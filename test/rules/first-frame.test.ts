import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The modules that `aish-tui` has loaded when its first frame is drawn and keys are accepted (src/cli/main.ts). */
const ENTRIES = ['src/cli.ts', 'src/config/glance.ts', 'src/ui/screen/first-frame.ts', 'src/ui/render/theme.ts'];

const OWN = [
  'package.json',
  'src/app/options.ts',
  'src/cli.ts',
  'src/cli/exit-codes.ts',
  'src/cli/main.ts',
  'src/config/config.ts',
  'src/config/glance.ts',
  'src/text/display.ts',
  'src/text/escape-sequences.ts',
  'src/text/sanitize.ts',
  'src/text/style.ts',
  'src/text/wrap.ts',
  'src/ui/editor/commands.ts',
  'src/ui/editor/edit.ts',
  'src/ui/editor/layout.ts',
  'src/ui/editor/state.ts',
  'src/ui/keymap/resolver.ts',
  'src/ui/keymap/table.ts',
  'src/ui/render/cells.ts',
  'src/ui/render/compositor.ts',
  'src/ui/render/segments.ts',
  'src/ui/render/theme.ts',
  'src/ui/render/writer.ts',
  'src/ui/screen/entries/frame.ts',
  'src/ui/screen/first-frame.ts',
  'src/ui/screen/prompt-view.ts',
  'src/ui/screen/ui.ts',
  'src/ui/terminal/capabilities.ts',
  'src/ui/terminal/key-stream.ts',
  'src/ui/terminal/schedule.ts',
  'src/ui/terminal/sequences.ts',
  'src/ui/terminal/terminal.ts',
  'src/ui/terminal/tokenizer.ts',
  'src/ui/terminal/tty.ts',
];

/** Packages that the first frame may load, since each slows down every start. */
const PACKAGES = ['ansi-regex', 'get-east-asian-width', 'string-width', 'strip-ansi'];
const MAX_BYTES = 118_000;

it('the first frame loads the listed modules, and no others', async () => {
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
