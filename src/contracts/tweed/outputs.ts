/** The files of $OUTPUTS as operators see them: announced, missing, not announced, too large. */
import type { Output } from '../../model/outcome.ts'
import type { GotFile, Report } from '../../model/report.ts'
import { utf8 } from './document.ts'
import type { FileNote } from './files.ts'
import type { Options } from './options.ts'

/** Every announced file, in the order announced, then the others by name. */
export function outputsOf(
  report: Report,
  announced: readonly FileNote[],
  options: Options,
): readonly Output[] {
  const got = report.got.get('outputs')
  const files = new Map((got?.kind === 'files' ? got.files : []).map((file) => [file.path, file]))
  const others = [...files.keys()].filter((path) => !announced.some(({ filename }) => filename === path))
  return [
    ...announced.map(({ filename, ...note }) => {
      const file = files.get(filename)
      return file ? { ...outputOf(file, options), ...note } : { ...missing(filename), ...note }
    }),
    ...others.toSorted().flatMap((path): readonly Output[] => {
      const file = files.get(path)
      return file ? [{ state: 'undeclared', ...outputOf(file, options) }] : []
    }),
  ]
}

/** Content may hold secrets: old stencils put whole manifests with their passwords there. */
function outputOf({ path, bytes, content }: GotFile, { outputFileBytes }: Options): Output {
  if (content === undefined || content.length > outputFileBytes) {
    return { name: path, content: new Uint8Array(), state: 'too-large', bytes, secret: true }
  }
  const mediaType = utf8(content) === undefined ? 'application/octet-stream' : 'text/plain'
  return { name: path, content, mediaType, bytes, secret: true }
}

function missing(name: string): Output {
  return { name, content: new Uint8Array(), state: 'missing', secret: true }
}
