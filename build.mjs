// The build: one bundle with lazily loaded chunks, the configuration's schema, and the kernel sandbox's launcher, into
// `dist`; `node build.mjs FOLDER` builds without the launcher into an empty FOLDER, as the package carries it.
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { ADDED } from './release/added.mjs';
import { notices, packagesOf } from './release/notices.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const dist = resolve(process.argv[2] ?? at('dist'));
const DAY_MS = 24 * 3600 * 1000;

// Ink reaches for its development tools only when DEV is set; they are not installed.
const noDevtools = {
  name: 'no-devtools',
  setup(build) {
    build.onResolve({ filter: /^react-devtools-core$/ }, (args) => ({ path: args.path, namespace: 'empty' }));
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export default {};' }));
  },
};

/** Writes a file of the build in one step: whatever reads it meanwhile, and another build, finds a whole one. */
async function put(name, contents, stamp) {
  const fresh = join(dist, `${name}.${process.pid}.new`);
  await writeFile(fresh, contents);
  if (stamp) await utimes(fresh, stamp, stamp);
  await rename(fresh, join(dist, name));
}

/** The file that an entry point has become. */
function outputOf({ outputs }, entryPoint) {
  const [path] = Object.entries(outputs).find(([, output]) => output.entryPoint === entryPoint);
  return basename(path);
}

// What the build itself needs of the program is TypeScript, which older Nodes do not read.
const parts = await build({
  stdin: {
    contents:
      "export { SCHEMA, SCHEMA_OPTIONS } from './src/config/schema.ts'; export { compileLauncher } from './src/effects/sandbox/compile.ts'; export { packTokens } from './src/broker/tokens/vocabulary.ts';",
    resolveDir: at('.'),
  },
  write: false,
  bundle: true,
  format: 'esm',
  platform: 'node',
  logLevel: 'warning',
});
const { SCHEMA, SCHEMA_OPTIONS, compileLauncher, packTokens } = await import(
  `data:text/javascript;base64,${Buffer.from(parts.outputFiles[0].contents).toString('base64')}`
);

// A configuration is checked at each start: by code made here, not by a compiler of schemas that is loaded for it.
const madeValidator = {
  name: 'made-validator',
  setup(build) {
    build.onLoad({ filter: /[/\\]src[/\\]config[/\\]validate\.ts$/ }, () => {
      const ajv = new Ajv({ ...SCHEMA_OPTIONS, code: { source: true, esm: true } });
      return { contents: standalone.default(ajv, ajv.compile(SCHEMA)), resolveDir: at('.') };
    });
  },
};

const added = {
  name: 'added',
  setup(build) {
    for (const [filter, before, behind] of ADDED)
      build.onLoad({ filter }, async ({ path }) => ({
        contents: `${before}\n${await readFile(path, 'utf8')}\n${behind}`,
      }));
  },
};

// One sign beyond Latin-1, and V8 keeps the whole file with two bytes for each character. The bundler leaves such signs in
// regular expressions, where an escape means the same, as in the raw template of a `pattern`; in another one, or behind a
// backslash, it would not.
const oneByte = (text) => {
  if (/(?<!pattern\()String\.raw`[^`]*[^\0-\xff]|\\[^\0-\xff]/.test(text))
    throw new Error('a sign beyond Latin-1 that no escape can stand for');
  return text.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
};

const began = new Date();
await mkdir(dist, { recursive: true });
const common = {
  outdir: dist,
  absWorkingDir: at('.'),
  // A program that runs meanwhile goes on loading the chunks of its own build.
  entryNames: '[name]-[hash]',
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
  banner: {
    js: "import { createRequire as aishCreateRequire } from 'node:module'; const require = aishCreateRequire(import.meta.url);",
  },
  // Names stay: a crash report's stack is to be read.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  write: false,
  logLevel: 'warning',
  metafile: true,
  plugins: [noDevtools, madeValidator, added],
};
// The tokenizer's table is a file of its own, whose name the program must know.
const TOKENS = 'node_modules/gpt-tokenizer/data/o200k_base.tiktoken';
const tokens = packTokens(await readFile(at(TOKENS), 'utf8'));
const tokensName = `o200k-${createHash('sha256').update(tokens).digest('hex').slice(0, 8)}.bin`;
// The hook of other agents starts for each of their commands: apart, so that it loads nothing else, and as short as can be.
const guard = await build({
  ...common,
  minifyIdentifiers: true,
  entryPoints: { guard: at('src/integrations/guard/main.ts') },
});
const { metafile, outputFiles } = await build({
  ...common,
  entryPoints: { program: at('src/cli.ts') },
  define: {
    'process.env.NODE_ENV': '"production"',
    'process.env.DEV': '"false"',
    AISH_TOKENS: JSON.stringify(`./${tokensName}`),
  },
});

await put(tokensName, tokens);
for (const { path, text } of [...guard.outputFiles, ...outputFiles]) await put(basename(path), oneByte(text));

await put('config.schema.json', `${JSON.stringify(SCHEMA, null, 2)}\n`);
const inputs = [TOKENS, ...[guard, { metafile }].flatMap((built) => Object.keys(built.metafile.inputs))];
await put('THIRD-PARTY-NOTICES', await notices(at('.'), packagesOf(inputs)));
if (process.argv[2] === undefined) {
  const compiled = await compileLauncher({ source: at('src/effects/launcher'), output: join(dist, 'aish-sandbox') });
  if (!compiled.ok) console.error(`aish-tui: no kernel sandbox: ${compiled.why}`);
}

// The cache of compiled code must be on before the program's own code is compiled. It is code that will be run, so it
// lies in a private folder and not in Node's default, which is shared between the machine's users.
const start = (file) => `import { existsSync, mkdirSync } from 'node:fs';
import nodeModule from 'node:module';
import { homedir } from 'node:os';
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(\`aish-tui needs Node 22.12 or newer; found \${process.version}. Install one from https://nodejs.org\\n\`);
  process.exit(2);
}
try {
  const cache = process.env.XDG_CACHE_HOME || \`\${homedir()}/.cache\`;
  // Not with { recursive: true }, which never ends in /proc.
  for (const folder of [cache, \`\${cache}/aish\`, \`\${cache}/aish/compiled\`])
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  nodeModule.enableCompileCache(\`\${cache}/aish/compiled\`);
} catch {
  // Without a place for it, it starts a little slower.
}
await import('./${file}');
`;
await put(
  'aish-guard.mjs',
  `#!/usr/bin/env node\n${start(outputOf(guard.metafile, 'src/integrations/guard/main.ts'))}`,
);
await chmod(join(dist, 'aish-guard.mjs'), 0o755);
// Last: whatever starts now finds all of the new build, or all of the old. A source changed while the build ran is newer
// than the build.
await put('aish-tui.mjs', start(outputOf(metafile, 'src/cli.ts')), began);

for (const name of await readdir(dist)) {
  // Another build may have taken it away.
  const { mtimeMs } = await stat(join(dist, name)).catch(() => ({ mtimeMs: Infinity }));
  if (began.getTime() - mtimeMs > DAY_MS) await rm(join(dist, name), { force: true });
}
