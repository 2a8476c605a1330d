/** Cases whose recorded outcome is the original's, and what the specification's section 18 decides instead. */
import { type Decision, fails, type Reason, yields } from './decision.ts'
import type { Case } from './judge.ts'
import { shownPasses } from './passes.ts'

const waits: Reason = { why: 'D6: what waits is not failing, so no fallback fires and dependents are listed as waiting', told: 'Fallbacks never fire while something is still being evaluated' }
const failsSomehow = { failing: undefined } as unknown as Partial<Case>
const versions: Reason = { why: 'D12: semvercmp gives a real integer, which string() takes', told: 'comparisons and positions give real integers' }

const floats: Reason = { why: 'D8: numbers compare by value, integers and floats alike', told: 'Numbers compare by value' }
const integers: Reason = { why: 'D12: booleans, comparisons and positions give real integers', told: 'comparisons and positions give real integers' }
const addresses: Reason = { why: 'D9: overflow is an error, IPv6 sizes are right', told: 'overflow is an error, IPv6 networks have their real size' }
const noMd4: Reason = { why: "D11: the original's md4 is no digest; the platform has none, so it is an error", told: '`hash(…, "md4")` is an error' }

const table: Readonly<Record<string, Decision>> = {
  'own-bugs.json: bugs: float comparison less': { reason: floats, outcome: yields('a: true\n') },
  'own-bugs.json: bugs: float and int comparison': { reason: floats, outcome: yields('a: true\n') },
  'own-bugs.json: bugs: float equality': { reason: floats, outcome: yields('a: true\n') },
  'own-operators.json: operators: 1 == 1.0': { reason: floats, outcome: yields('result: true\n') },
  'own-operators.json: operators: 1.0 == 1': { reason: floats, outcome: yields('result: true\n') },
  'own-operators.json: operators: 1.0 == 1.0': { reason: floats, outcome: yields('result: true\n') },
  'own-operators.json: operators: 1.5 < 2': { reason: floats, outcome: yields('result: true\n') },
  'own-operators.json: operators: 1 < 2.5': { reason: floats, outcome: yields('result: true\n') },
  'own-operators.json: operators: 2.5 > 1.5': { reason: floats, outcome: yields('result: true\n') },
  'own-bugs.json: bugs: md4 is not a digest': { reason: noMd4, outcome: fails },
  'own-functions.json: functions: hash("alice","md4")': { reason: noMd4, outcome: fails },
  'readme.json: readme: (( hash(string) ))': { reason: noMd4, outcome: fails },
  'own-bugs.json: bugs: IPv4 overflow': { reason: addresses, outcome: fails },
  'own-functions.json: functions: 255.255.255.255 + 1': { reason: addresses, outcome: fails },
  'own-functions.json: functions: 0.0.0.0 - 1': { reason: addresses, outcome: fails },
  'own-bugs.json: bugs: IPv6 network size': { reason: addresses, outcome: yields('a: 256\n') },
  'own-functions.json: functions: num_ip("2001:db8::/64")': {
    reason: { why: 'D9: 2^64 addresses are more than an integer can hold, which is an error and not 0', told: 'overflow is an error, IPv6 networks have their real size' },
    outcome: fails,
  },
  'own-functions.json: functions: "10.1.2.1/24" * -1': {
    reason: { why: 'D9: the network before 10.1.2.0/24 is 10.1.1.0/24', told: 'a negative factor counts networks backwards' },
    outcome: yields('result: 10.1.1.0/24\n'),
  },
  'own-functions.json: functions: type(integer(true))': { reason: integers, outcome: yields('result: int\n') },
  'own-functions.json: functions: integer(true) + 1': { reason: integers, outcome: yields('result: 2\n') },
  'own-functions.json: functions: type(round(true))': { reason: integers, outcome: yields('result: int\n') },
  'own-functions.json: functions: type(semvercmp("1.0.0","1.0.0"))': { reason: integers, outcome: yields('result: int\n') },
  'own-functions.json: functions: semvercmp("1.0.0","1.0.0") == 0': { reason: integers, outcome: yields('result: true\n') },
  'own-functions.json: functions: type(index([1],nil))': { reason: integers, outcome: yields('result: int\n') },
  'own-functions.json: functions: asyaml(nil)': {
    reason: { why: 'section 15: asyaml(nil) fails in the original and gives null here', told: '`asyaml(nil)` is `null`' },
    outcome: yields('result: |+\n  null\n'),
  },
  'own-functions.json: functions: parse("a: [")': {
    reason: { why: 'the rest of the message is that of the YAML library, which is another one', told: 'what is wrong with a text of YAML is said in our words' },
    outcome: { error_exact: false },
  },
  'differential-references.json: references 0089': { reason: waits, outcome: fails },
  'differential-expressions.json: expressions 0331': {
    reason: { why: 'section 15: asyaml(nil) gives null here', told: '`asyaml(nil)` is `null`' },
    outcome: failsSomehow,
  },
  'differential-functions.json: functions 0005': {
    reason: { why: 'D9: networks of IPv6 can be divided', told: 'and can be divided' },
    outcome: failsSomehow,
  },
  'own-interpolation.json: interpolation: unicode text': {
    reason: { why: 'D4: text outside of ASCII is interpolated like any other', told: 'text outside of ASCII everywhere' },
    outcome: yields('d: x\nv: "\\xE4 x \\xF6"\n'),
  },
  'own-yaml.json: yaml: nested anchors': { reason: { why: 'D2: nested anchors work', told: 'Anchors inside of anchored nodes work' }, outcome: yields('a:\n  b: 1\nc:\n  b: 1\nd: 1\n') },
  'own-yaml.json: yaml: comment only': { reason: { why: 'D3: a document of comments is null', told: 'a text of comments alone is null' }, outcome: yields('null\n') },
}

const waiting: readonly string[] = [
  ...['0050', '0130', '0144', '0321', '0345', '0348', '0363'].map((at) => `differential-references.json: references ${at}`),
  ...['0064', '0069', '0100'].map((at) => `differential-streams.json: streams ${at}`),
]

/** The decision for a case, if there is one. */
export function decided(file: string, item: Case): Decision | undefined {
  const name = `${file}: ${item.name}`
  if (waiting.includes(name)) return { reason: waits, outcome: failsSomehow }
  return table[name] ?? shownPasses[name] ?? comparedVersions(item)
}

/** The nodes that only fail because the original's comparison of versions is no integer. */
function comparedVersions(item: Case): Decision | undefined {
  const compares = new Set([...(item.template ?? '').matchAll(/^\s*"?(f[0-9])"?: .*string\(semvercmp\(/gm)].map((match) => match[1]))
  if (item.failing === undefined || compares.size === 0) return undefined
  return { reason: versions, outcome: { failing: item.failing, mayPass: [...compares].map(String) } }
}

/** The names of all cases decided. */
decided.keys = (): readonly string[] => [...Object.keys(table), ...waiting, ...Object.keys(shownPasses)]

/** Why, each once for each case. */
decided.reasons = (): readonly Reason[] => [waits, versions, ...Object.values({ ...table, ...shownPasses }).map(({ reason }) => reason)]
