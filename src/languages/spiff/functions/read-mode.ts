/** What becomes of a text that is read or parsed: text, base64, documents evaluated or not, templates. */
import { toBase64 } from '../../../kit/bytes.ts'
import { type Call, isTemplate } from '../env.ts'
import { bytesOf } from '../go-text.ts'
import { failure } from '../issue.ts'
import { type Cell, cellOf, Dict, List, type Value } from '../value.ts'
import { DocumentFault, readDocument, readDocuments } from '../yaml-read.ts'

export interface ToRead {
  readonly name: string
  readonly text: string
  readonly mode: string
}

/** The value of a text in a mode; a leading point makes absolute references address the text itself. */
export function readMode(call: Call, { name, text, mode }: ToRead): Value {
  const ownRoot = mode.startsWith('.')
  switch (ownRoot ? mode.slice(1) : mode) {
    case 'text':
      return text
    case 'binary':
      return base64Lines(bytesOf(text), 60)
    case 'yaml':
      return evaluated(call, one(call, name, text), { name, ownRoot })
    case 'multiyaml':
      return new List(
        filled(all(call, name, text)).map((cell) => cellOf(evaluated(call, cell, { name, ownRoot }), name)),
      )
    case 'import':
      return one(call, name, text).value
    case 'importmulti':
      return new List(filled(all(call, name, text)))
    case 'template':
      return templateOf(call, one(call, name, text))
    case 'templates':
      return new List(filled(all(call, name, text)).map((cell) => cellOf(templateOf(call, cell), name)))
    default:
      return failure(`invalid file type [${name}] ${mode}`)
  }
}

function guarded<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error
    const place = error.line > 1 || error.column > 1 ? ` at line ${error.line}, column ${error.column}` : ''
    return failure(`error parsing file [${name}]: ${error.message}${place}`)
  }
}

function one(call: Call, name: string, text: string): Cell {
  return guarded(name, () => readDocument(text, name, call.env.run.budget.reading))
}

function all(call: Call, name: string, text: string): readonly Cell[] {
  return guarded(name, () => readDocuments(text, name, call.env.run.budget.reading))
}

/** A mark at the very end opens no document here. */
function filled(cells: readonly Cell[]): readonly Cell[] {
  return cells.length > 1 && cells.at(-1)?.value === null ? cells.slice(0, -1) : cells
}

function evaluated(call: Call, cell: Cell, { name, ownRoot }: { name: string; ownRoot: boolean }): Value {
  const message = () => `resolution of yaml file '${name}' failed`
  const result = call.env.run.fragment(cell, call.env, { message, ownRoot })
  if (result.undefined) call.env.info.undefined = true
  return result.cell.value
}

/** A document as a template, printed with its mark. */
function templateOf(call: Call, cell: Cell): Value {
  const mark = cellOf('(( &template ))', cell.source)
  const { value } = cell
  if (isTemplate(value)) return value
  return {
    kind: 'template',
    prepared: cell,
    original: { ...cell, value: marked(value, mark) },
    home: call.env.scope,
    path: call.env.stand.path().join('.'),
  }
}

function marked(value: Value, mark: Cell): Value {
  if (value instanceof Dict) return new Dict(new Map([['<<<', mark], ...value.cells]))
  if (!(value instanceof List)) return value
  return new List([cellOf(new Dict(new Map([['<<<', mark]])), mark.source), ...value.cells])
}

/** Base64 in lines of a width. */
export function base64Lines(bytes: Uint8Array, width: number): string {
  const text = toBase64(bytes)
  return width <= 0 ? text : (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n')
}
