/** Whether imports follow the map. */
import { type Fault, type House, type Import, importsOf, partOf, type RuleName, words } from './rules.ts'

/** The faults of all imports. */
export function judgeImports(house: House): readonly Fault[] {
  const { files, map } = house
  const imports = new Map([...files].map(([path, text]) => [path, importsOf(path, text)]))
  const known = map.parts.map(([part]) => part)
  const unknown = [...new Set([...files.keys()].map(partOf))].filter((part) => !known.includes(part))
  return [
    ...unknown.map((part) => fault(part, 'part-unknown', 'no row of the map names it')),
    ...[...imports].flatMap(([from, list]) => list.flatMap((one) => judgeOne(house, from, one))),
    ...circles(imports),
    ...unreached(house, imports),
  ]
}

function fault(at: string, rule: RuleName, found: string): Fault {
  return { at, rule, found }
}

function judgeOne(house: House, from: string, what: Import): readonly Fault[] {
  return [upward(house, from, what), throughWall(house, from, what), besideDoor(house, from, what)].flatMap(
    (one) => one ?? [],
  )
}

function upward({ map }: House, from: string, { target, typeOnly, local }: Import): Fault | undefined {
  const to = partOf(target)
  const [part, may, types] = map.parts.find((row) => row[0] === partOf(from)) ?? []
  if (!local || to === part || may === 'everything' || words(may).includes(to)) return undefined
  if (typeOnly && words(types).includes(to)) return undefined
  return fault(from, 'import-up', `imports ${target}; ${part} may import ${may}, and types of ${types}`)
}

function throughWall({ map }: House, from: string, { target, local }: Import): Fault | undefined {
  const [part = '', island, ...rest] = target.split('/')
  if (!local || !map.islands.includes(part) || rest.length === 0) return undefined
  const [fromPart, fromIsland] = from.split('/')
  if (fromPart === part && fromIsland === island) return undefined
  if (fromPart === part && from.split('/').length > 2)
    return fault(from, 'island-entrance', `imports its neighbour ${target}`)
  if (rest.join('/') === 'index.ts') return undefined
  return fault(from, 'island-entrance', `imports ${target}, not ${part}/${island}/index.ts`)
}

function besideDoor({ map }: House, from: string, { target, local }: Import): Fault | undefined {
  if (local) return undefined
  const mayEnter = (name: string): boolean => {
    const door = map.doors.find((row) => row[0] === name)
    return door !== undefined && words(door[1]).some((place) => from.startsWith(place))
  }
  if (target.startsWith('node:')) {
    const isPure = map.parts.find((row) => row[0] === partOf(from))?.[3] === 'yes'
    const name = target.split('/')[0] ?? target
    return !isPure || mayEnter(name) ? undefined : fault(from, 'platform-door', `imports ${target}`)
  }
  const name = target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/')
  return mayEnter(name) ? undefined : fault(from, 'library-door', `imports ${name}`)
}

type Imports = ReadonlyMap<string, readonly Import[]>

function circles(imports: Imports): readonly Fault[] {
  const state = new Map<string, 'open' | 'done'>()
  const faults: Fault[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === 'done') return
    if (state.get(path) === 'open') {
      faults.push(fault(path, 'import-circle', [...trail.slice(trail.indexOf(path)), path].join(' > ')))
      return
    }
    state.set(path, 'open')
    for (const { target, local } of imports.get(path) ?? []) if (local) visit(target, [...trail, path])
    state.set(path, 'done')
  }
  for (const path of imports.keys()) visit(path, [])
  return faults
}

function unreached({ files, map }: House, imports: Imports): readonly Fault[] {
  const reached = new Set<string>()
  const queue = map.entrances.filter((path) => files.has(path))
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path)) continue
    reached.add(path)
    for (const { target, local } of imports.get(path) ?? []) if (local) queue.push(target)
  }
  const lost = [...files.keys()].filter((path) => !reached.has(path))
  return lost.map((path) => fault(path, 'unreached', 'no entrance imports it, directly or through others'))
}
