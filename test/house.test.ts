/** The rules of the house as tests; the tables of ARCHITECTURE.md are the input, so the document cannot drift. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const map = readFileSync('ARCHITECTURE.md', 'utf8')
const parts = table('Who may import whom')
const islands = table('Islands').map(([part]) => part)
const doors = table('Doors')
const files = new Map(
  readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path): [string, string] => [path.slice('src/'.length), readFileSync(path, 'utf8')]),
)
const imports = new Map([...files].map(([path, text]) => [path, importsOf(path, text)]))
const entrances = ['cli/main.ts', 'compose.ts', ...table('Libraries').map(([path]) => path ?? '')]

test('every folder of src is a row of the map', () => {
  const known = parts.map(([part]) => part)

  expect([...new Set([...files.keys()].map(partOf))].filter((part) => !known.includes(part))).toEqual([])
})

test('imports follow the map', () => {
  expect(
    faultsOfImports((from, { target, typeOnly, local }) => {
      const to = partOf(target)
      const [part, may, types] = parts.find((row) => row[0] === partOf(from)) ?? []
      if (!local || to === part || may === 'everything' || words(may).includes(to)) return undefined
      if (typeOnly && words(types).includes(to)) return undefined
      return `${from} imports ${target}: ${part} may import ${may}, and types of ${types}`
    }),
  ).toEqual([])
})

test('islands know each other only through the mainland', () => {
  expect(
    faultsOfImports((from, { target, local }) => {
      const [part = '', island, ...rest] = target.split('/')
      if (!local || !islands.includes(part) || rest.length === 0) return undefined
      const [fromPart, fromIsland] = from.split('/')
      if (fromPart === part && fromIsland === island) return undefined
      if (fromPart === part && from.split('/').length > 2) return `${from} imports its neighbour ${target}`
      return rest.join('/') === 'index.ts'
        ? undefined
        : `${from} imports ${target}: enter by ${part}/${island}/index.ts`
    }),
  ).toEqual([])
})

test('pure parts reach nothing outside', () => {
  const outside =
    /\bfetch\(|\bprocess\.|Date\.now|new Date\(\)|Math\.random|randomUUID|setTimeout|setInterval|console\./
  const exempt = ['kit/clock.ts']
  const pure = [...files].filter(
    ([path]) => parts.some((row) => row[0] === partOf(path) && row[3] === 'yes') && !exempt.includes(path),
  )
  const faults = pure.flatMap(([path, text]) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        outside.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : [],
      ),
  )

  expect(faults).toEqual([])
})

test('pure parts use a module of the platform only through its door', () => {
  expect(
    faultsOfImports((from, { target }) => {
      if (!target.startsWith('node:') || parts.find((row) => row[0] === partOf(from))?.[3] !== 'yes')
        return undefined
      return mayEnter(from, target.split('/')[0] ?? target) ? undefined : `${from} imports ${target}`
    }),
  ).toEqual([])
})

test('each dependency has one door', () => {
  expect(
    faultsOfImports((from, { target, local }) => {
      if (local || target.startsWith('node:')) return undefined
      const name = target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/')
      return mayEnter(from, name) ? undefined : `${from} imports ${name}: not by its door`
    }),
  ).toEqual([])
})

test('there are no import circles, types counted', () => {
  const state = new Map<string, 'open' | 'done'>()
  const faults: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === 'done') return
    if (state.get(path) === 'open') {
      faults.push([...trail.slice(trail.indexOf(path)), path].join(' > '))
      return
    }
    state.set(path, 'open')
    for (const { target, local } of imports.get(path) ?? []) if (local) visit(target, [...trail, path])
    state.set(path, 'done')
  }
  for (const path of imports.keys()) visit(path, [])

  expect(faults).toEqual([])
})

test('every file is reached from an entrance', () => {
  const reached = new Set<string>()
  const queue = entrances.filter((path) => files.has(path))
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path)) continue
    reached.add(path)
    for (const { target, local } of imports.get(path) ?? []) if (local) queue.push(target)
  }

  expect([...files.keys()].filter((path) => !reached.has(path))).toEqual([])
})

test('every file says first what it is for, is named plainly and is short', () => {
  const faults = [...files].flatMap(([path, text]) => {
    const name = path.split('/').at(-1) ?? ''
    return [
      text.startsWith('/**') || text.startsWith('#!')
        ? ''
        : 'does not begin with a sentence that says what it is for',
      /^[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.tsx?$/.test(name) ? '' : 'is not kebab-case',
      /(^|\/)(utils?|helpers?|common|misc|shared|types|constants|base)\b/.test(path)
        ? 'has a name that says nothing'
        : '',
      text.split('\n').length > 401 ? `has ${text.split('\n').length} lines, more than 400` : '',
      /\b(FIXME|TODO|XXX)\b/.test(text) ? 'holds unfinished work' : '',
      /export default/.test(text) ? 'has a default export' : '',
      /export \* from/.test(text) ? 'passes on a whole module' : '',
      /new (Type|Range)?Error\(/.test(text) ? 'throws a bare Error; throw a Problem' : '',
    ].flatMap((fault) => (fault === '' ? [] : [`${path} ${fault}`]))
  })

  expect(faults).toEqual([])
})

interface Import {
  readonly target: string
  readonly typeOnly: boolean
  readonly local: boolean
}

function faultsOfImports(judge: (from: string, what: Import) => string | undefined): readonly string[] {
  return [...imports].flatMap(([from, list]) => list.flatMap((what) => judge(from, what) ?? []))
}

function mayEnter(from: string, name: string): boolean {
  const door = doors.find((row) => row[0] === name)
  return door !== undefined && words(door[1]).some((place) => from.startsWith(place))
}

function table(title: string): readonly (readonly string[])[] {
  const section = map.split(/^## /m).find((text) => text.startsWith(title)) ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

function words(cell = ''): readonly string[] {
  return cell
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}

function partOf(path: string): string {
  return (path.split('/')[0] ?? '').replace(/\.tsx?$/, '')
}

function importsOf(path: string, text: string): readonly Import[] {
  const found = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'|^import\s+'([^']+)'/gm,
  )
  return [...found].map((match) => {
    const spec = match[2] ?? match[3] ?? match[4] ?? ''
    const local = spec.startsWith('.')
    return {
      target: local ? normalize(join(dirname(path), spec)) : spec,
      typeOnly: match[1] !== undefined,
      local,
    }
  })
}
