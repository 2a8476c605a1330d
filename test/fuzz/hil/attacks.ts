/** Templates and values that were made to crash the evaluation, to keep it busy or to eat memory. */
import type { Json, JsonObject } from '../../../src/kit/json.ts'
import { brokerFunctions, castTo, evaluateText, Fault, jsonScope } from '../../../src/languages/hil/index.ts'
import type { Attack } from '../topic.ts'

const limitMs = 5_000
const million = 1_000_000

function inside(text: string): string {
  return `\${${text}}`
}

function nestedList(depth: number): Json {
  let value: Json = 'x'
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

const long = 'a'.repeat(million)
const list = Array.from({ length: 200_000 }, (_, i) => `item ${i}`)
const map = Object.fromEntries(list.map((item, i) => [`${'k'.repeat(20)}${i}`, item]))
const values: JsonObject = {
  long,
  other: `${'a'.repeat(million - 1)}b`,
  list,
  map,
  digits: '1'.repeat(million),
  notDecimal: `${'1'.repeat(million)}x`,
  hex: `0x${'f'.repeat(million)}`,
  hexFloat: `0x${'f'.repeat(million)}p1`,
  underscores: `1${'_1'.repeat(million / 2)}`,
  zeros: '0'.repeat(million),
  dots: '1.'.repeat(million / 2),
  quotes: '"'.repeat(million),
  lone: '\ud800'.repeat(million),
  emoji: '😀'.repeat(million / 2),
  deep: nestedList(100_000),
  deepMap: JSON.parse(`${'{"a":'.repeat(400)}1${'}'.repeat(400)}`) as Json,
  wide: Array.from({ length: 1000 }, () => list.slice(0, 1000)),
  proto: JSON.parse('{"__proto__": "x", "constructor": "y", "toString": "z"}') as Json,
  n: 3,
}

/** The same expression so often that the text is as long as it may be. */
function full(expression: string): string {
  return inside(expression).repeat(Math.floor((million - 10) / (expression.length + 3)))
}

const templates: Readonly<Record<string, string>> = {
  'brackets without end': inside('('.repeat(900_000)),
  'brackets that end': inside(`${'('.repeat(500_000)}1${')'.repeat(500_000)}`),
  'quotes within quotes': '${"'.repeat(300_000),
  'minus signs': inside(`${'-'.repeat(900_000)}1`),
  negations: inside(`${'!'.repeat(900_000)}true`),
  'conditions to the right': inside(`${'true ? 1 : '.repeat(90_000)}1`),
  'conditions to the left': inside(`${'true ? '.repeat(90_000)}1${' : 1'.repeat(90_000)}`),
  'indexes of indexes': inside(`list${'[0]'.repeat(300_000)}`),
  'indexes within indexes': inside(`${'list['.repeat(150_000)}0${']'.repeat(150_000)}`),
  'calls within calls': inside(`${'str.queryEscape('.repeat(60_000)}"a"${')'.repeat(60_000)}`),
  'arguments without end': inside(`str.truncate(${'1,'.repeat(400_000)})`),
  'a row of additions': inside(`0${' + 1'.repeat(240_000)}`),
  'a row of products': inside(`1${' * 9'.repeat(240_000)}`),
  'a row of conjunctions': inside(`true${' && true'.repeat(120_000)}`),
  'a row of comparisons': inside(`1${' == 1'.repeat(190_000)}`),
  'all precedences in a row': inside(`1${' || 1 && 1 == 1 < 1 + 1 * 1'.repeat(35_000)}`),
  dollars: '$'.repeat(million),
  'dollars and one more': '$'.repeat(million - 1),
  'opened and not closed': '${'.repeat(500_000),
  'closed and not opened': '}'.repeat(million),
  backslashes: inside(`"${'\\'.repeat(900_000)}"`),
  'backslashes in text': '\\'.repeat(million),
  'a name of a million letters': inside('a'.repeat(900_000)),
  'a name of dots and stars': inside(`a${'.*'.repeat(450_000)}`),
  'a name of stars that are none': inside(`a${'.*b'.repeat(300_000)}`),
  'a name of umlauts': inside('é'.repeat(900_000)),
  'names without end': full('nope'),
  'an integer of a million digits': inside('9'.repeat(900_000)),
  'zeros before an integer': inside(`${'0'.repeat(900_000)}1`),
  'a decimal of a million digits': inside(`1.${'9'.repeat(900_000)}`),
  blanks: inside(' '.repeat(900_000)),
  lines: `${'\n'.repeat(900_000)}\${nope}`,
  'interpolations of one character': full('n'),
  'a long text again and again': full('long'),
  'a long text compared again and again': full('long == other'),
  'a long text cut again and again': full('str.truncate(1, long)'),
  'a long text escaped again and again': full('str.queryEscape(long)'),
  'a list marshalled again and again': full('json.marshal(list)'),
  'a map flattened again and again': full('map.flatten(long, long, map)'),
  'a map flattened with long separators': inside('map.flatten(long, long, map)'),
  'a list indexed again and again': full('list[7]'),
  'a map indexed by a long key': full('map[long]'),
  'wide lists in lists': full('json.marshal(wide)'),
  'marshalled texts marshalled again': inside(
    `${'json.marshal("${'.repeat(40)}"\\""${'}${"\\""}")'.repeat(40)}`,
  ),
  'digits as a number': inside('digits + 1'),
  'digits as a decimal': inside('digits * 1.5'),
  'digits that end in a letter': inside('notDecimal * 1.5'),
  'hexadecimal digits': inside('hex + 1'),
  'a hexadecimal decimal': inside('hexFloat * 1.5'),
  underscores: inside('underscores + 1'),
  'zeros as a number': inside('zeros + 1'),
  'many dots': inside('dots * 1.5'),
  'half characters': inside('str.queryEscape(lone)'),
  'a cut in the middle of emoji': inside('str.truncate(999999, emoji)'),
  'a cut at a huge place': inside('str.truncate(9223372036854775807, emoji)'),
  'a value nested 100,000 deep': inside('deep'),
  'a value nested 400 deep': inside('json.marshal(deepMap)'),
  'names of the object prototype':
    inside('proto["__proto__"]') + inside('proto["constructor"]') + inside('proto["hasOwnProperty"]'),
  'variables of the object prototype': inside('constructor'),
  'a pattern that backtracks elsewhere': inside('regexp.matches("(a+)+$", other)'),
  'a pattern of many ways': inside('regexp.matches("(a|a|aa)*c", long)'),
  'a pattern with large counts': inside('regexp.matches("(a{1000}){1000}", long)'),
  'a pattern of counts within counts': inside('regexp.matches("((a{30}){30})b[cd]", long)'),
  'a pattern of brackets': inside(`regexp.matches("${'('.repeat(900_000)}", "")`),
  'a pattern of classes again and again': inside(`regexp.matches("${'\\\\pL'.repeat(3000)}", "")`).repeat(60),
  'a pattern that is a long text': inside('regexp.matches(long, long)'),
  'new patterns without end': Array.from({ length: 20_000 }, (_, i) =>
    inside(`regexp.matches("a{${i % 1000}}${i}", "")`),
  ).join(''),
  'a pattern without a determined form': inside('regexp.matches("[ab]*a[ab]{200}[cd]", other)'),
  'random bytes without end': full('rand.base64(65536)'),
  'too many random bytes': inside('rand.base64(9223372036854775807)'),
  'less than no random bytes': inside('rand.base64(-1)'),
}

const casts: Readonly<Record<string, readonly [string, string]>> = {
  'JSON nested a million deep': ['['.repeat(million), 'array'],
  'JSON of maps nested deep': ['{"a":'.repeat(200_000), 'object'],
  'JSON of escapes': [`["${'\\u0041'.repeat(160_000)}"]`, 'array'],
  'JSON of digits': [`[${'9'.repeat(million)}]`, 'array'],
  'JSON of an exponent': ['[1e999999999]', 'array'],
  'an integer of a million digits': ['1'.repeat(million), 'integer'],
  'a number of a million digits that ends in a letter': [`${'1'.repeat(million)}x`, 'number'],
}

const functions = brokerFunctions({ random: (count) => new Uint8Array(count) })

export const attacks: readonly Attack[] = [
  ...Object.entries(templates).map(([name, text]) => ({ name, limitMs, run: () => evaluated(text) })),
  ...Object.entries(casts).map(([name, [text, type]]) => ({
    name: `cast: ${name}`,
    limitMs,
    run: () => cast(text, type),
  })),
]

function evaluated(text: string): string {
  const result = evaluateText(text, jsonScope(values, functions))
  if (result.kind === 'fault') return `fault: ${result.fault.message.slice(0, 200)}`
  return result.kind === 'value' ? `value of ${JSON.stringify(result.value).length} characters` : result.kind
}

function cast(text: string, type: string): string {
  try {
    return `value of ${JSON.stringify(castTo(text, type)).length} characters`
  } catch (error) {
    if (error instanceof Fault) return `fault: ${error.message.slice(0, 200)}`
    throw error
  }
}
