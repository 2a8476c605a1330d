/** How results of the spiff commands are printed. */
import { documentOf, List, pathSteps, type SpiffDocument, stepIntoCell } from '../../languages/spiff/index.ts'
import { fail } from '../../model/problem.ts'

/** The part of a document at a path. */
export function selected(document: SpiffDocument, path: string): SpiffDocument {
  let cell: SpiffDocument['cell'] | undefined = document.cell
  for (const step of pathSteps(path)) cell = cell && stepIntoCell(cell, step)
  return cell === undefined ? fail('spiff.path.absent', path) : documentOf(cell)
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
