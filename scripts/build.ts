/** Bundles the command line to dist: one small file to start with, and pieces that are loaded when they are used. */
import { rmSync } from 'node:fs'
import { build } from 'esbuild'

const [outdir = 'dist'] = process.argv.slice(2)
rmSync(outdir, { recursive: true, force: true })
await build({
  // A thread is started from a file of its own, which stays beside the others.
  entryPoints: { chandler: 'src/cli/main.ts', 'unpack-worker': 'src/artifacts/layers/unpack-worker.ts' },
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  minifyWhitespace: true,
  minifySyntax: true,
  keepNames: false,
  logLevel: 'warning',
  external: ['pg-native'],
  // Libraries of the older module system ask for things by require.
  banner: {
    js: "import { createRequire as bundledRequire } from 'node:module'; const require = bundledRequire(import.meta.url);",
  },
})
