// `npm run release`: what the npm package carries. The bundle, and the launcher as static programs for x64 and arm64.
// Needs both compilers (Debian: gcc and gcc-aarch64-linux-gnu libc6-dev-arm64-cross); nothing is released without one of them.
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const COMPILERS = { x64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' };

const parts = await build({
  entryPoints: [at('src/sandbox/compile.ts')],
  bundle: true,
  format: 'esm',
  platform: 'node',
  write: false,
});
const { compileLauncher } = await import(`data:text/javascript,${encodeURIComponent(parts.outputFiles[0].text)}`);

for (const [arch, compiler] of Object.entries(COMPILERS)) {
  const output = at(`dist/aish-sandbox-${arch}`);
  const compiled = await compileLauncher({ source: at('src/sandbox/launcher'), output, cc: [compiler] });
  if (!compiled.ok) {
    console.error(`aish-tui: no launcher for ${arch}: ${compiled.why}`);
    process.exit(1);
  }
  console.log(`dist/aish-sandbox-${arch}${arch === process.arch ? '' : ' (built, not tested on such a machine)'}`);
}
// The one built for this machine alone would stand before those.
await rm(at('dist/aish-sandbox'), { force: true });
