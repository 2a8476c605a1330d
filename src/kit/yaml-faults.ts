/** Which errors of a YAML parser tell something: after a broken structure it stumbles over every further sign. */

/** An error as the parser has it. */
interface ParserError {
  readonly code: string
  readonly message: string
  readonly pos: readonly [number, number]
}

export interface TellingFault {
  readonly message: string
  readonly hint: string | undefined
  readonly offset: number
}

/** These leave the structure as it is, so that what follows is read rightly. */
const local: ReadonlySet<string> = new Set(['BAD_ALIAS', 'BAD_DQ_ESCAPE', 'BAD_SCALAR_START'])

/** Of several errors at one place the one that names what stands there says most. */
const plainest = ['TAB_AS_INDENT', 'UNEXPECTED_TOKEN', 'BLOCK_AS_IMPLICIT_KEY']

const localMax = 20

/** The first fault of the structure, and the local ones before it. */
export function tellingFaults(errors: readonly ParserError[]): readonly TellingFault[] {
  const byPlace = [...errors].sort((a, b) => a.pos[0] - b.pos[0])
  const first = byPlace.find(({ code }) => !local.has(code))
  const end = first?.pos[0] ?? Number.POSITIVE_INFINITY
  const before = byPlace.filter(({ code, pos }) => local.has(code) && pos[0] < end).slice(0, localMax)
  const there = byPlace.filter(({ pos }) => pos[0] === end)
  const broken = plainest.flatMap((one) => there.find(({ code }) => code === one) ?? []).at(0) ?? first
  return [...before, ...(broken === undefined ? [] : [broken])].map(({ message, pos, code }) => ({
    message,
    hint: hints.find(([which, words]) => which === code && words.test(message))?.[2],
    offset: pos[0],
  }))
}

const hints: readonly (readonly [code: string, message: RegExp, hint: string])[] = [
  ['TAB_AS_INDENT', /./, 'Indent with blanks instead of tabs.'],
  ['BAD_ALIAS', /./, 'Quote a text that begins with *.'],
  ['BAD_DQ_ESCAPE', /./, 'Write \\\\ for a backslash, or use single quotes, in which it is nothing special.'],
  ['BAD_SCALAR_START', /./, 'Quote a text that begins with a sign of YAML.'],
  [
    'UNEXPECTED_TOKEN',
    /block-seq-ind/,
    'A list begins here and the lines above are a map: give it a key, and indent it like its own items.',
  ],
  [
    'UNEXPECTED_TOKEN',
    /scalar at node end/,
    'What stands here does not go on with what is before: a list and a map do not mix at one indentation, and nothing follows a closing quote. Quote a text that begins with *.',
  ],
  ['UNEXPECTED_TOKEN', /-end/, 'Open the bracket, or quote the text that it stands in.'],
  [
    'BLOCK_AS_IMPLICIT_KEY',
    /./,
    'Quote a value that has a colon and a blank in it; else indent the next line like this one.',
  ],
  ['MULTILINE_IMPLICIT_KEY', /./, 'Write a blank after the colon of each key.'],
  ['MISSING_CHAR', /followed by map values/, 'Write it as a member of the map, "key: value".'],
  [
    'MISSING_CHAR',
    /Sequence item/,
    'Indent this line like the lines before, or begin an item of the list with "- ".',
  ],
  ['MISSING_CHAR', /closing/, 'Close the quote where the text ends.'],
  ['BAD_INDENT', /mapping items/, 'Indent this line like the keys of its map; a list and a map do not mix.'],
  ['BAD_INDENT', /sequence items/, 'Indent this line like the other items of its list.'],
  ['BAD_INDENT', /Flow/, 'Close the bracket, and indent what is in it.'],
  ['MISSING_CHAR', /Flow/, 'Close the bracket, and indent what is in it.'],
]
