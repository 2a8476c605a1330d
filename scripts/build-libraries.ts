/** Builds the languages as libraries: ECMAScript modules for Node and for browsers, and their declarations. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { certificatesLater } from './certificates-later.ts'

const [given = 'lib'] = process.argv.slice(2)
const outdir = resolve(given)
const root = resolve(import.meta.dirname, '..')
const languages = readdirSync(join(root, 'src/languages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** What a browser lacks fails when it is called, and is then the failure of one function. */
const withoutNode: Plugin = {
  name: 'without-node',
  setup(building) {
    building.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'absent' }))
    building.onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
      // A module is copied name by name where it is imported, but what it inherits stays.
      contents: `module.exports = Object.create(new Proxy({}, {
        get: (_, name) => () => { throw new Error(String(name) + ' of ${path} is not available in a browser') },
      }))`,
    }))
  },
}

rmSync(outdir, { recursive: true, force: true })
mkdirSync(outdir, { recursive: true })
const common = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  packages: 'external',
  logLevel: 'warning',
  absWorkingDir: root,
} as const
await build({
  ...common,
  platform: 'node',
  outdir,
  plugins: [certificatesLater],
  entryPoints: {
    ...Object.fromEntries(languages.map((name) => [name, `src/languages/${name}/index.ts`])),
    spiff: 'scripts/library-for-node.ts',
  },
})
await build({
  ...common,
  platform: 'browser',
  outdir: join(outdir, 'browser'),
  plugins: [withoutNode],
  entryPoints: { hil: 'src/languages/hil/index.ts', spiff: 'src/languages/spiff/index.ts' },
})

const config = join(outdir, 'tsconfig.json')
writeFileSync(
  config,
  JSON.stringify({
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(root, 'src'),
      outDir: join(outdir, 'types'),
      typeRoots: [join(root, 'node_modules/@types')],
    },
    files: languages.map((name) => join(root, `src/languages/${name}/index.ts`)),
    include: [],
  }),
)
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], {
  stdio: 'inherit',
})
rmSync(config)
