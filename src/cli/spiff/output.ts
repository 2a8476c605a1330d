/** How results of the spiff commands are printed. */
import {
  Dict,
  documentOf,
  List,
  pathSteps,
  type SpiffDocument,
  stepIntoCell,
} from '../../languages/spiff/index.ts'
import { fail } from '../../model/problem.ts'

/** The part of a document at a path. */
export function selected(document: SpiffDocument, path: string): SpiffDocument {
  let cell: SpiffDocument['cell'] | undefined = document.cell
  for (const step of pathSteps(path)) cell = cell && stepIntoCell(cell, step)
  return cell === undefined ? absent(document.cell, path) : documentOf(cell)
}

/** What is at a path, and of it a map of some places, where asked for. */
export function parts(
  document: SpiffDocument,
  { path, select }: { readonly path?: string; readonly select: readonly string[] },
): SpiffDocument {
  const at = path === undefined ? document : selected(document, path)
  if (select.length === 0) return at
  const fields = select.map((place) => [pathSteps(place).at(-1) ?? place, selected(at, place).cell] as const)
  return documentOf({ ...at.cell, value: new Dict(new Map(fields)) })
}

/** Says how far a path leads, and what is there instead. */
export function absent(root: SpiffDocument['cell'] | undefined, path: string): never {
  let at = root
  const reached: string[] = []
  for (const step of pathSteps(path)) {
    const next = at && stepIntoCell(at, step)
    if (next === undefined) break
    reached.push(step)
    at = next
  }
  const place = reached.length === 0 ? 'the result' : reached.join('.')
  return fail('spiff.path.absent', `${path}: ${place} ${holds(at?.value)}`)
}

function holds(value: unknown): string {
  if (value instanceof List) return `is a list of ${value.cells.length}`
  if (!(value instanceof Dict)) return 'holds a plain value'
  const shown = value.keys.slice(0, 12).join(', ')
  return value.keys.length === 0 ? 'is an empty map' : `has ${shown}${value.keys.length > 12 ? ', …' : ''}`
}

/** Documents as one text; a stream of YAML has separators, JSON one line each. */
export function writeDocuments(
  documents: readonly (SpiffDocument | undefined)[],
  { json, split }: { json: boolean; split: boolean },
): string {
  const shown = split ? documents.flatMap(splitList) : documents
  if (json) return shown.flatMap((document) => document?.json() ?? []).join('\n')
  const texts = shown.map((document) => document?.yaml() ?? '')
  return texts.length === 1 ? (texts[0] ?? '') : texts.map((text) => `---\n${text}`).join('')
}

function splitList(document: SpiffDocument | undefined): readonly (SpiffDocument | undefined)[] {
  const value = document?.cell.value
  return value instanceof List ? value.cells.map((cell) => documentOf(cell)) : [document]
}
