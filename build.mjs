// The build: one bundle with lazily loaded chunks, the configuration's schema, and the kernel sandbox's launcher.
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

// Ink reaches for its development tools only when DEV is set; they are not installed.
const noDevtools = {
  name: 'no-devtools',
  setup(build) {
    build.onResolve({ filter: /^react-devtools-core$/ }, (args) => ({ path: args.path, namespace: 'empty' }));
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export default {};' }));
  },
};

const began = Date.now();
await mkdir(at('dist'), { recursive: true });
await build({
  entryPoints: { program: at('src/cli.ts') },
  outdir: at('dist'),
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.12',
  // Its main file is UMD, which a bundler can't follow.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  // It has native parts.
  external: ['node-pty'],
  define: { 'process.env.NODE_ENV': '"production"' },
  banner: {
    js: "import { createRequire as aishCreateRequire } from 'node:module'; const require = aishCreateRequire(import.meta.url);",
  },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [noDevtools],
});
// The cache of compiled code must be on before the program's own code is compiled.
await writeFile(
  at('dist/aish-tui.mjs'),
  "import { enableCompileCache } from 'node:module';\nenableCompileCache();\nawait import('./program.mjs');\n",
);
// What the build itself needs of the program is TypeScript, which older Nodes do not read.
await build({
  stdin: {
    contents: "export { SCHEMA } from './src/config/schema.ts'; export { compileLauncher } from './src/sandbox/compile.ts';",
    resolveDir: at('.'),
  },
  outfile: at('dist/build-parts.mjs'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  logLevel: 'warning',
});
const { SCHEMA, compileLauncher } = await import('./dist/build-parts.mjs');
await writeFile(at('dist/config.schema.json'), `${JSON.stringify(SCHEMA, null, 2)}\n`);
const compiled = await compileLauncher({ source: at('src/sandbox/launcher'), output: at('dist/aish-sandbox') });
if (!compiled.ok) console.error(`aish-tui: no kernel sandbox: ${compiled.why}`);
// A program that runs may still load chunks of the last build; those of earlier days go.
for (const name of await readdir(at('dist'))) {
  const { mtimeMs } = await stat(at(`dist/${name}`));
  if (began - mtimeMs > 24 * 3600 * 1000) await rm(at(`dist/${name}`), { force: true });
}
await writeFile(at('dist/.built'), '');
