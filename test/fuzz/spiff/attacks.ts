/** Documents that were written to crash the evaluation, to keep it busy or to eat memory; strict limits must end each. */
import { processSpiff, type SpiffOptions } from '../../../src/languages/spiff/index.ts'
import type { Attack } from '../topic.ts'

const lines = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => `${line(i)}\n`).join('')
/** A text of a thousand characters, doubled so often. */
const doubled = (times: number): string =>
  `s0: ${'x'.repeat(1000)}\n${lines(times, (i) => `s${i + 1}: (( &temporary(s${i} s${i}) ))`)}`
const megabytes = doubled(12)
const f = (body: string, call: string): string => `f: (( &temporary(${body}) ))\na: (( ${call} ))\n`
const nested = (open: string, inside: string, close: string, n = 10_000): string =>
  `${open.repeat(n)}${inside}${close.repeat(n)}`
const code = (text: string): string => `a: ${JSON.stringify(`(( ${text} ))`)}\n`
/** A document of the greatest size. */
const filled = (unit: string, before: string, after: string): string =>
  before + unit.repeat(Math.floor((3_999_000 - before.length) / unit.length)) + after
const long = 'x'.repeat(1_500_000)
/** What fails again and again, with a long expression in its message. */
const failing = (expression: string): string => code(`sum[[1..20000]|0|s,y|->s + ((${expression}) || 1)]`)
const often = (expression: string, times = 2000): string =>
  `${megabytes}a: (( sum[[1..${times}]|0|s,x|->s + length(${expression})] ))\n`

/** Each is in parts until it is looked at, and then takes four megabytes of its own. */
const joined = (expression: string): string =>
  `${megabytes}l: (( &temporary(map[[1..400]|x|->${expression}]) ))\n`

const documents: Readonly<Record<string, string>> = {
  'a text that is shared sixty times': `${doubled(13)}m: (( map[[1..60]|x|->s13] ))\n`,
  'a text that is shared through a template': `${doubled(13)}t:\n  <<: (( &template ))\n  v: (( s13 ))\nl: (( map[[1..60]|x|->*t] ))\n`,
  'a template that is printed three thousand times': `t:\n  <<: (( &template ))\n  v: ${'x'.repeat(1_000_000)}\nl: (( map[[1..3000]|x|->t] ))\n`,
  'a lambda that is printed three thousand times': `f: (( |a|->"${'x'.repeat(1_000_000)}" ))\nl: (( map[[1..3000]|x|->f] ))\n`,
  'endless recursion': f('|x|->_(x)', '.f(1)'),
  'endless recursion that grows': f('|x|->_(x "x")', '.f("")'),
  'endless recursion of two': `f: (( |x|->.g(x) ))\ng: (( |x|->.f(x) ))\na: (( .f(1) ))\n`,
  'endless recursion behind a fallback': f('|x|->_(x + 1) || 1', '.f(1)'),
  'endless recursion in a catch': f('|x|->catch[_(x + 1)|v,e|->v]', '.f(1)'),
  'endless recursion in a mapping': f('|x|->map[[1]|y|->_(y)]', '.f(1)'),
  'endless recursion in the argument': f('|x|->x', '(|g|->g(g))(|g|->g(g))'),
  'recursion that branches': f('|n|->n < 2 ? n :_(n - 1) + _(n - 2)', '.f(60)'),
  'recursion that branches ten times': f('|n|->n == 0 ? 0 :sum[[1..10]|0|s,x|->s + _(n - 1)]', '.f(30)'),
  'recursion that keeps its lists': f('|n,l|->n == 0 ? l :_(n - 1, [l, l])', '.f(60, [1])'),
  'a template that instantiates itself': 't:\n  <<: (( &template ))\n  a: (( *t ))\nb: (( *t ))\n',
  'two templates that instantiate each other':
    't:\n  <<: (( &template ))\n  a: (( *u ))\nu:\n  <<: (( &template ))\n  a: (( *t ))\nb: (( *t ))\n',
  'a result that is an expression without end': 'f: (( |x|->"(( .f(1) ))" ))\na: (( .f(1) ))\n',
  'an expression that evaluates itself': 'a: (( eval("a") ))\n',
  'a circle of 60,000': lines(60_000, (i) => `k${i}: (( k${(i + 1) % 60_000} ))`),
  'circles behind fallbacks': lines(5000, (i) => `k${i}: (( k${(i + 1) % 5000} || k${(i * 7 + 3) % 5000} ))`),
  'a chain of 60,000': `${lines(60_000, (i) => `k${i}: (( k${i + 1} ))`)}k60000: 1\n`,
  'a huge range': code('[1..3000000000]'),
  'a huge range downwards': code('[9223372036854775807..-9223372036854775808]'),
  'ranges in ranges': code('map[[1..100000]|x|->[1..100000]]'),
  'lists that double': `a0: [1, 2]\n${lines(40, (i) => `a${i + 1}: (( a${i} a${i} ))`)}`,
  'lists that share their parts': `a0: [1, 2]\n${lines(60, (i) => `a${i + 1}: (( [a${i}, a${i}] ))`)}`,
  'maps that share their parts': `a0: {x: 1}\n${lines(60, (i) => `a${i + 1}: (( { "l" = a${i}, "r" = a${i} } ))`)}`,
  'texts that double': `a0: xxxxxxxxxx\n${lines(40, (i) => `a${i + 1}: (( a${i} a${i} ))`)}`,
  'lists inside of each other': code('sum[[1..100000]|[]|s,x|->[s]]'),
  'maps inside of each other': code('sum[[1..100000]|{}|s,x|->{"a"=s}]'),
  'little that is printed far to the right': code('sum[[1..450]|[1..100000]|s,x|->[s]]'),
  'a text made upper again and again': often('upper(s12)'),
  'a text made lower again and again': often('lower(s12)'),
  'a text trimmed again and again': often('trim(s12, "x")'),
  'a text hashed again and again': often('md5(s12)'),
  'a text encoded again and again': often('base64(s12)'),
  'a text split again and again': often('split("x", s12)'),
  'a text replaced again and again': often('replace(s12, "x", "y")'),
  'a text matched again and again': often('match("(x*)*y", s12)'),
  'a text printed as JSON again and again': often('asjson([s12])'),
  'a text printed as YAML again and again': often('asyaml([s12])'),
  'a text parsed again and again': often('parse(s12)'),
  'a text compressed again and again': often('archive({"a"=s12}, "targz")'),
  'a text formatted again and again': often('format("%s", s12)'),
  'a text compared again and again': `${megabytes}b: (( s12 "a" ))\nc: (( s12 "b" ))\na: (( sum[[1..100000]|0|s,x|->b == c ? 1 :s] ))\n`,
  'a lambda that fails with a long text': `${megabytes}a: (( map[[1..2000]|x|->(|y|->nosuch)(s12) || 1] ))\n`,
  'everything intersected with everything': code(
    'length(intersect(map[[1..9000]|x|->{"a"=x}], map[[9001..18000]|x|->{"a"=x}]))',
  ),
  'a long list made unique': code('length(uniq(map[[1..50000]|x|->{"a"=x}]))'),
  'a long list sorted by a lambda': code('length(sort([1..100000], |a,b|->a < b))'),
  'a long list reversed again and again': code('sum[[1..5000]|0|s,x|->s + length(reverse([1..1000]))]'),
  'a list that is indexed as a whole': code('sum[[1..20000]|0|s,x|->s + index([1..20000], x)]'),
  'slices of slices': code('sum[[1..20000]|[1..20000]|s,x|->s[1..]]'),
  'costly password hashes': code(
    'map[[1..1000]|x|->bcrypt_check("x", "$2a$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW")]',
  ),
  'a password hash that costs too much': code('bcrypt("x", 31)'),
  'keys without end': code('map[[1..1000]|x|->x509genkey(4096)]'),
  'a pattern that repeats': code(`match("${'(a?){50}'.repeat(15)}", "${'a'.repeat(5000)}")`),
  'a wide number': code('format("%999999999d", 1)'),
  'a network of many addresses': code('static_ips(0, 100000000)'),
  'parentheses without end': code(nested('(', '1', ')')),
  'lists without end': code(nested('[', '1', ']')),
  'lambdas without end': code(nested('|x|->', 'x', '')),
  'negations without end': code(nested('!', 'true', '')),
  'conditions without end': code(nested('true ? 1 :', '1', '')),
  'flow lists without end': `a: ${nested('[', '', ']')}\n`,
  'flow maps without end': `a: ${nested('{a: ', '1', '}')}\n`,
  'block lists without end': `${'- '.repeat(10_000)}1\n`,
  'block maps without end': lines(2000, (i) => `${' '.repeat(i)}a:`),
  'an unfinished flow list': `a: ${'['.repeat(10_000)}\n`,
  'aliases that multiply': `a0: &a0 [x,x,x,x,x,x,x,x]\n${lines(10, (i) => `a${i + 1}: &a${i + 1} [${Array(8).fill(`*a${i}`).join(',')}]`)}`,
  'a parsed text without end': code(`parse("${nested('[', '', ']')}", "json")`),
  'controls in controls': `a:${lines(150, (i) => `\n${'  '.repeat(i + 1)}<<if: true\n${'  '.repeat(i + 1)}<<then:`)}`,
  'loops of loops': `a:\n  <<for:\n${lines(6, (i) => `    v${i}: (( [1..40] ))`)}  <<do: (( v0 v1 ))\n`,
  'merges inside of merges': f('|n|->merge({"a"=n})', 'sum[[1..100000]|{}|s,x|->merge(s, {"a"=x})]'),
  'as many parts of a text as there can be': filled('((1))', 'a: "', '"\n'),
  'as many elements of an expression as there can be': filled('1,', 'a: (( [', '1] ))\n'),
  'a row of operators as long as can be': filled('1 + ', 'a: (( ', '1 ))\n'),
  'as many documents as there can be': filled('--- ((1))\n', '', ''),
  'as many empty lists as there can be': filled('[],', 'a: [', ']\n'),
  'as many expressions as there can be': filled('- ((1))\n', 'a:\n', ''),
  'as many references that fail as there can be': filled('- ((b))\n', 'a:\n', ''),
  'as many inserts as there can be': filled('{"<<": "((b))"},', 'b: [1]\na: [', ']\n'),
  'a large map that is inserted again and again': `b:\n${lines(1000, (i) => `  k${i}: 1`)}a:\n${lines(10_000, (i) => `- {"<<": "((b))", x: ${i}}`)}`,
  'shared lists that stand in many places': `a0: [1, 2]\n${lines(18, (i) => `a${i + 1}: (( &temporary([a${i}, a${i}]) ))`)}${lines(40, (i) => `b${i}: (( a18 ))`)}`,
  'an escaped text that is shared': `s0: "${'((!x)) '.repeat(150)}"\n${lines(13, (i) => `s${i + 1}: (( &temporary(s${i} s${i}) ))`)}${lines(100, (i) => `m${i}: (( s13 ))`)}`,
  'an expression that is made': `s0: "${'1 + '.repeat(250)}"\n${lines(13, (i) => `s${i + 1}: (( &temporary(s${i} s${i}) ))`)}a: (( eval(s13 "1") ))\n`,
  'expressions that are made again and again': `s0: "${'1,'.repeat(500)}"\n${lines(9, (i) => `s${i + 1}: (( &temporary(s${i} s${i}) ))`)}a: (( map[[1..1000]|x|->eval("[" s9 x "]")] ))\n`,
  'lists that are parsed again and again': `s0: "${'[],'.repeat(300)}"\n${lines(9, (i) => `s${i + 1}: (( &temporary(s${i} s${i}) ))`)}a: (( map[[1..100]|x|->parse("[" s9 "]")] ))\n`,
  'a loop beside an empty range':
    'a:\n  <<for:\n    i: (( [1..100000] ))\n    j: (( [1..100000] ))\n    k: []\n  <<do: 1\n',
  'a loop whose body fails': 'a:\n  <<for:\n    i: (( [1..900000] ))\n  <<do: (( nosuch ))\n',
  'a loop whose long body fails': `a:\n  <<for:\n    i: (( [1..200000] ))\n  <<do: (( nosuch "${'x'.repeat(30_000)}" ))\n`,
  'a long lambda in place that fails': failing(`map[[1]|x|->nosuch "${long}"]`),
  'a long lambda that fails': failing(`(|x|->nosuch "${long}")(1)`),
  'a long text that cannot be joined': failing(`nil "${long}"`),
  'a long expression that is required': failing(`require(nosuch "${long}")`),
  'a long text that is called': failing(`("${long}")(1)`),
  'a map that is joined and looked into':
    'm: (( &temporary(map{map[[1..300000]|x|->"k" x]|k|->1}) ))\na: (( sum[[1..20000]|0|s,x|->s + (m { "a" = x }).a] ))\n',
  'a list that is joined and looked into':
    'l: (( &temporary([1..900000]) ))\na: (( sum[[1..20000]|0|s,x|->s + (l [x]).[0]] ))\n',
  'a map whose values are listed again and again':
    'm: (( &temporary(map{map[[1..300000]|x|->"k" x]|k|->1}) ))\na: (( sum[[1..20000]|0|s,x|->s + (m.[*] == 5 ? 1 :0)] ))\n',
  'many names that every call takes over': code(
    `(${Array.from({ length: 150_000 }, (_, i) => `$a${i}=1`).join(',')}) sum[[1..20000]|0|s,x|->s + x]`,
  ),
  'circles in a map that many refer to': `m:\n${lines(60_000, (i) => `  k${i}: (( k${i ^ 1} ))`)}r:\n${'- (( m ))\n'.repeat(60_000)}`,
  'joined texts that are kept after a look': joined('($y = s12 x) (md5(y) == "" ? 1 :y)'),
  'joined texts that are compared': joined('($y = s12 x) (y < s12 ? 1 :y)'),
  'joined texts as keys': joined('{ (s12 x) = 1 }'),
  'joined texts in front': joined('x s12'),
  'joined texts in presets': joined('(|a,b=(s12 x)|->b)(1)'),
  'joined texts that lambdas keep': joined('(|y|->md5(y) == "" ? 1 :|z|->y)(s12 x)'),
  'joined texts that are caught': joined('catch(s12 x)'),
  'joined texts that are merged': joined('merge({ "k" = s12 x })'),
  'short joined texts': `t: ${'x'.repeat(1000)}\nl: (( &temporary(map[[1..900000]|x|->t x]) ))\n`,
  'joined texts as fields': `${megabytes}${lines(300, (i) => `k${i}: (( &temporary(s12 "${i}") ))`)}`,
  'joined texts that look up': `${megabytes}m: {}\nl: (( &temporary(map[[1..400]|x|->($y = s12 x) (m[y] || y)]) ))\n`,
  'long texts that are put in order': `${megabytes}b: (( &temporary(s12 "a") ))\nc: (( &temporary(s12 "b") ))\nl: (( sum[[1..100000]|0|s,x|->b < c ? s :1] ))\n`,
  'a value that waits for itself through a function': 'a: (( asjson(b) ))\nb: (( asyaml(a) ))\n',
}

/** The processor time of this thread as the clock: what else the machine does must not decide how much an attack gets done. */
function spent(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const options: SpiffOptions = {
  control: true,
  interpolation: true,
  ports: { elapsed: spent, random: (count) => crypto.getRandomValues(new Uint8Array(count)) },
}

/** Milliseconds of the strict limits. */
const limitMs = 10_000

export const attacks: readonly Attack[] = Object.entries(documents).map(([name, text]) => ({
  name,
  limitMs,
  run: (millisecondsMax) => {
    const result = processSpiff({ name: 'template', text }, [], { ...options, limits: { millisecondsMax } })
    if (result.kind === 'failed') return `${result.fault.kind}: ${result.fault.message.slice(0, 200)}`
    const printed = result.documents.map((one) => (one?.yaml().length ?? 0) + (one?.json().length ?? 0))
    return `done: ${printed.join(' and ')} characters`
  },
}))
