/** Whole documents: markers, controls, lambdas, templates, merges and named lists, and stubs to go with them. */
import type { Chance } from '../chance.ts'
import { code, insertion } from './expressions.ts'
import { type Node, NodeMap } from './node.ts'

const names = ['b', 'x', 'y', 'n1', 'k', 'data', 'jobs', 'a', 'm'] as const

/** What a run is made of. */
export interface Case {
  readonly templates: readonly NodeMap[]
  readonly stubs: readonly NodeMap[]
  /** Stubs that hold nothing but data. */
  readonly plainStubs: boolean
  readonly interpolation: boolean
}

/** Five of six are small: what is wrong mostly shows in little, and more of them are seen. */
export function caseOf(chance: Chance): Case {
  const plainStubs = chance.once(2)
  const make = chance.once(6) ? template : smallTemplate
  return {
    templates: chance.list(1, chance.once(6) ? 3 : 1, () => make(chance)),
    stubs: chance.list(0, 2, () => (plainStubs ? plainMap(chance, 2) : make(chance))),
    plainStubs,
    interpolation: chance.once(3),
  }
}

/** A few fields that refer to each other. */
function smallTemplate(chance: Chance): NodeMap {
  const fields = ['a', 'm', 'l', 't', 'f', 'x'] as const
  return new NodeMap(chance.list(1, 3, () => [chance.pick(fields), node(chance, chance.below(2))] as const))
}

function template(chance: Chance): NodeMap {
  const lambda = chance.pick(['|x|->x', '|x|->x 1', '|x,y=2|->x + y', '|x|->{ "x" = x }', '|x...|->x'])
  const fixed: (readonly [string, Node])[] = [
    ['a', chance.once(6) ? node(chance, 0) : 1],
    [
      'l',
      [
        1,
        'two',
        new NodeMap([
          ['name', 'n1'],
          ['v', node(chance, 0)],
        ]),
      ],
    ],
    [
      'm',
      new NodeMap([
        ['x', chance.once(6) ? node(chance, 0) : 3],
        ['y', 'z'],
      ]),
    ],
    ['f', `(( ${lambda} ))`],
    [
      't',
      new NodeMap([
        ['<<', '(( &template ))'],
        ['x', code(chance, 1)],
      ]),
    ],
  ]
  return new NodeMap([
    ...fixed.filter(() => !chance.once(30)),
    ...chance.list(0, 5, () => [chance.pick(names), node(chance, 2)] as const),
  ])
}

function node(chance: Chance, depth: number): Node {
  if (depth <= 0) return !chance.once(3) ? scalar(chance) : code(chance, 1 + chance.below(2))
  return chance.pick<() => Node>([
    () => scalar(chance),
    () => code(chance, 1 + chance.below(3)),
    () => code(chance, 1 + chance.below(3)),
    () => map(chance, depth),
    () => map(chance, depth),
    () => control(chance, depth),
    () => list(chance, depth),
  ])()
}

function scalar(chance: Chance): Node {
  return chance.pick<Node>([
    null,
    true,
    false,
    0,
    1,
    -3,
    42,
    2.5,
    '',
    'text',
    'true',
    '10.0.0.1',
    '((',
    '((!x))',
    'a.b',
    '0x1',
    '1e3',
    'é😀',
    '<<',
    '  lead',
  ])
}

function map(chance: Chance, depth: number): NodeMap {
  const insert: readonly (readonly [string, Node])[] = chance.once(3)
    ? [[chance.once(4) ? '<<<' : '<<', insertion(chance)]]
    : []
  return new NodeMap([...insert, ...fields(chance, depth)])
}

function fields(chance: Chance, depth: number): readonly (readonly [string, Node])[] {
  return chance.list(0, 3, () => [chance.pick(names), node(chance, depth - 1)] as const)
}

function list(chance: Chance, depth: number): Node {
  const named = chance.once(2)
  const items = chance.list(0, 3, (i): Node => {
    if (!named) return node(chance, depth - 1)
    const key = chance.once(5) ? 'key:name' : 'name'
    return new NodeMap([
      [key, `n${i}`],
      ['v', node(chance, depth - 1)],
    ])
  })
  if (!chance.once(3)) return items
  const at = chance.below(items.length + 1)
  const insert = new NodeMap([[chance.once(4) ? '<<<' : '<<', insertion(chance)]])
  return [...items.slice(0, at), insert, ...items.slice(at)]
}

/** A control with its options, some missing, some too many. */
function control(chance: Chance, depth: number): NodeMap {
  const inner = (): Node => node(chance, depth - 1)
  const own = chance.pick<() => readonly (readonly [string, Node])[]>([
    () => [
      ['<<if', inner()],
      ['<<then', inner()],
      ['<<else', inner()],
    ],
    () => [
      ['<<if', '(( a == 1 ))'],
      ['<<then', inner()],
    ],
    () => [
      ['<<switch', inner()],
      ['x', inner()],
      ['text', inner()],
      ['<<default', inner()],
    ],
    () => [
      ['<<switch', inner()],
      [
        '<<cases',
        [
          new NodeMap([
            ['case', inner()],
            ['value', inner()],
          ]),
        ],
      ],
    ],
    () => [
      ['<<type', inner()],
      ['string', inner()],
      ['<<default', inner()],
    ],
    () => [
      ['<<for', new NodeMap([['i', [1, 2]]])],
      ['<<do', inner()],
    ],
    () => [
      [
        '<<for',
        new NodeMap([
          ['i', inner()],
          ['k', ['p', 'q']],
        ]),
      ],
      ['<<mapkey', '(( k i ))'],
      ['<<do', inner()],
    ],
    () => [['<<merge', inner()], ...fields(chance, depth)],
  ])()
  const more = chance.once(5)
    ? [[chance.pick(['x', '<<', '<<else', '<<do', '<<nosuch', '<<!if']), inner()] as const]
    : []
  return new NodeMap([...own.filter(() => !chance.once(30)), ...more])
}

/** Data alone. */
export function plainMap(chance: Chance, depth: number): NodeMap {
  return new NodeMap(chance.list(0, 5, () => [chance.pick(names), plain(chance, depth)] as const))
}

function plain(chance: Chance, depth: number): Node {
  if (depth <= 0 || chance.once(2)) return scalar(chance)
  if (chance.once(2)) return plainMap(chance, depth - 1)
  return chance.list(0, 3, (i) =>
    chance.once(2)
      ? plain(chance, depth - 1)
      : new NodeMap([
          ['name', `n${i}`],
          ['v', plain(chance, depth - 1)],
        ]),
  )
}
