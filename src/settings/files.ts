/** Settings from files: the named one, and the pieces in `conf.d` beside it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isObject, type JsonObject } from '../kit/json.ts'
import { whyUnreadable } from '../kit/unreadable.ts'
import { readYaml, toldFault } from '../kit/yaml.ts'
import type { Problem } from '../model/problem.ts'
import type { Layer, OriginName } from './layer.ts'

export interface FilesRead {
  readonly layers: readonly Layer[]
  readonly problems: readonly Problem[]
}

/** The file, then the pieces beside it, highest first. */
export function readFiles(file: string): FilesRead {
  const path = resolve(file)
  const folder = join(dirname(path), 'conf.d')
  const pieces = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => /\.(ya?ml|json)$/.test(name))
        .sort()
        .reverse()
        .map((name) => join(folder, name))
    : []
  const all = [readLayer(path, 'file'), ...pieces.map((piece) => readLayer(piece, 'conf.d'))]
  return { layers: all.flatMap((one) => one.layers), problems: all.flatMap((one) => one.problems) }
}

/** One file, without what lies beside it. */
export function readLayer(path: string, origin: OriginName): FilesRead {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    return {
      layers: [],
      problems: [{ code: 'file.unreadable', detail: whyUnreadable(cause), where: { source: path } }],
    }
  }
  const { value, faults, place } = readYaml(text)
  const problems = faults.map((fault): Problem => ({ code: 'settings.invalid', ...toldFault(fault, path) }))
  if (problems.length > 0) return { layers: [], problems }
  if (value !== null && !isObject(value)) {
    const where = { source: path, line: 1 }
    return { layers: [], problems: [{ code: 'settings.invalid', detail: 'must be a map', where }] }
  }
  const layer: Layer = {
    origin,
    document: (value ?? {}) as JsonObject,
    folder: dirname(path),
    place: (pointer) => {
      const spot = place(pointer)
      return { source: path, ...(spot ? { line: spot.line } : {}), pointer }
    },
  }
  return { layers: [layer], problems: [] }
}
