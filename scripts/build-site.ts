/** Builds the documents as a site of static pages with a search, for the broker to serve. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { contentsOf } from './site/contents.ts'
import { framed } from './site/frame.ts'
import { deadLinks } from './site/links.ts'
import { type Rendered, render } from './site/render.ts'

export interface Site {
  /** The files that were written, as paths below the folder. */
  readonly files: readonly string[]
  /** Links that lead nowhere. */
  readonly faults: readonly string[]
  /** Sources that went in. */
  readonly inputs: readonly string[]
}

/** What is worth compressing; pictures are already. */
const texts = new Set(['.html', '.js', '.css', '.json', '.svg'])

/** Writes it into a folder. */
export async function buildSite(outdir: string): Promise<Site> {
  const root = join(import.meta.dirname, '..')
  rmSync(outdir, { recursive: true, force: true })
  const parts = contentsOf(root)
  const listed = parts.flatMap(({ pages }) => pages)
  const pages = new Map(listed.map((page) => [page.source, page]))
  const icon = readFileSync(join(root, 'src/web/icon.svg'), 'utf8').replace(
    '<svg ',
    '<svg class="mark" aria-hidden="true" ',
  )
  const drawn = listed.map((page) => {
    const rendered = render(readFileSync(join(root, page.source), 'utf8'), page, { root, pages })
    write(outdir, page.path, framed(page, rendered, { parts, icon }))
    return { page, rendered }
  })
  for (const { rendered } of drawn)
    for (const [path, file] of rendered.assets) {
      mkdirSync(dirname(join(outdir, path)), { recursive: true })
      copyFileSync(file, join(outdir, path))
    }
  write(
    outdir,
    'assets/search.json',
    JSON.stringify(drawn.map(({ page, rendered }) => entryOf(page.path, rendered))),
  )
  copyFileSync(join(root, 'src/web/icon.svg'), join(outdir, 'assets/icon.svg'))
  const inputs = await scripts(root, join(outdir, 'assets'))
  const files = filesBelow(outdir)
  for (const file of files) compress(join(outdir, file))
  const faults = [...drawn.flatMap(({ rendered }) => rendered.faults), ...deadLinks(outdir, files)]
  return { files, faults, inputs }
}

/** A page as the search reads it: its path, its title, and its sections as anchor, title and text. */
function entryOf(path: string, { title, sections }: Rendered): readonly unknown[] {
  return [path, title, sections.map(({ anchor, title: heading, text }) => [anchor, heading, text])]
}

async function scripts(root: string, outdir: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: ['src/web/site/search.ts', 'src/web/site/site.css'],
    absWorkingDir: root,
    outdir,
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  })
  return Object.keys(metafile.inputs)
}

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted()
}

function compress(file: string): void {
  if (!texts.has(extname(file))) return
  const bytes = readFileSync(file)
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
}
