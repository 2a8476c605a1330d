/** Bundles the command line to dist: one small file to start with, and pieces that are loaded when they are used; the web UI; the documents. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { buildSite } from './build-site.ts'
import { buildUi } from './build-ui.ts'
import { bundledPackages } from './bundled-packages.ts'

const [outdir = 'dist'] = process.argv.slice(2)
rmSync(outdir, { recursive: true, force: true })
const { metafile } = await build({
  // A thread is started from a file of its own, which stays beside the others.
  entryPoints: {
    chandler: 'src/cli/main.ts',
    'unpack-worker': 'src/artifacts/layers/unpack-worker.ts',
    'prepare-process': 'src/host/apart/prepare-process.ts',
    'checkpoint-worker': 'src/store/sqlite/checkpoint-worker.ts',
  },
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
  metafile: true,
  external: ['pg-native'],
  // Libraries of the older module system ask for things by require.
  banner: {
    js: "import { createRequire as bundledRequire } from 'node:module'; const require = bundledRequire(import.meta.url);",
  },
})

const site = await buildSite(join(outdir, 'docs'))
for (const fault of site.faults) console.error(`warning: a link of the documents leads nowhere: ${fault}`)
const inputs = [...Object.keys(metafile.inputs), ...(await buildUi(join(outdir, 'ui'))), ...site.inputs]

// What a release names as brought along.
writeFileSync(join(outdir, 'bundled.json'), JSON.stringify(bundledPackages(inputs)))

// The starter takes the bundle only while none of these is newer.
const sources = Object.keys(metafile.inputs).filter((file) => file.startsWith('src/'))
writeFileSync(join(outdir, 'sources.json'), JSON.stringify(sources))
