/** Builds the web UI: scripts and styles for browsers, each compressed, and the page that starts them. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'

type Outputs = Metafile['outputs']

/** The pieces that the script of an entry needs before it runs, near and far. */
function importedBy(entry: string, outputs: Outputs): readonly string[] {
  const [start] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? []
  const found = new Set<string>()
  const follow = (path: string): void => {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || found.has(next)) continue
      found.add(next)
      follow(next)
    }
  }
  if (start !== undefined) follow(start)
  return [...found]
}

/** Writes it into a folder; answers the files that went in. */
export async function buildUi(outdir: string): Promise<readonly string[]> {
  const root = join(import.meta.dirname, '..')
  const early = 'src/web/ahead.ts'
  const { metafile } = await build({
    entryPoints: {
      main: 'src/web/main.tsx',
      ahead: early,
      style: 'src/web/style.css',
      icon: 'src/web/icon.png',
    },
    absWorkingDir: root,
    outdir: join(outdir, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.png': 'copy' },
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  })
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs))
    if (entryPoint === early) rmSync(join(root, path))
  const outputs = Object.entries(metafile.outputs)
    .filter(([, { entryPoint }]) => entryPoint !== early)
    .map(([path, { entryPoint, inputs }]) => ({
      path: join(root, path),
      // The main script imports it, too, so that it lies in a piece of its own: that one is run first.
      entryPoint: early in inputs ? early : entryPoint,
    }))
  const names: Record<string, string> = {}
  for (const { path, entryPoint } of outputs) {
    const bytes = readFileSync(path)
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
    const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: quality }))
    if (entryPoint !== undefined) names[basename(entryPoint)] = `assets/${basename(path)}`
  }
  // What the first script imports is asked for with it, not only when it has been read.
  const first = names[basename(early)]
  const pieces = importedBy('src/web/main.tsx', metafile.outputs)
    .filter((path) => `assets/${basename(path)}` !== first)
    .map((path) => `<link rel="modulepreload" href="assets/${basename(path)}" />`)
  names['pieces'] = pieces.join('\n    ')
  const page = readFileSync(join(root, 'src/web/index.html'), 'utf8')
  writeFileSync(
    join(outdir, 'index.html'),
    page.replaceAll(/\{([a-z.]+)\}/g, (_, name: string) => names[name] ?? name),
  )
  return Object.keys(metafile.inputs)
}
