/** The languages as another project meets them: from a packed tarball, on Node 20, 22 and 24, in a browser, with their types. */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensurePrograms, findProgram } from '../support/debian.ts'
import { nodeOf } from '../support/nodes.ts'

const root = resolve(import.meta.dirname, '../..')
const work = mkdtempSync(join(tmpdir(), 'chandler-libraries-'))
const consumer = join(work, 'consumer')
const page = readFileSync(join(root, 'docs/languages/library.md'), 'utf8')

/** The examples of a page with what they print. */
function examplesOf(text: string) {
  return [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => ({
    code,
    printed: [...code.matchAll(/^\/\/ (.*)$/gm)].map(([, line]) => line).join('\n'),
  }))
}

const examples = examplesOf(page)
/** Keys and signatures are of Node. */
const examplesForNode = examplesOf(readFileSync(join(root, 'docs/ocm.md'), 'utf8'))

const nodes = [20, 22, 24].flatMap((major) => {
  const path = nodeOf(major)
  return path === undefined ? [] : [{ major, path }]
})
const missingChromium = ensurePrograms('chromium')

/** Rows whose answer hangs on nothing outside. */
const rows = {
  spiff: readdirSync(join(root, 'test/corpus/spiff'))
    .filter((name) => name.startsWith('own-'))
    .flatMap((name) => JSON.parse(readFileSync(join(root, 'test/corpus/spiff', name), 'utf8')) as Row[])
    .filter(({ mode, needs = [] }) => mode === 'cascade' && needs.length === 0),
  hil: linesOf('differential.jsonl'),
  casts: linesOf('casts.jsonl'),
}

interface Row {
  readonly mode: string
  readonly needs?: readonly string[]
  readonly template?: string
}

function linesOf(name: string): readonly unknown[] {
  const text = readFileSync(join(root, 'test/corpus/hil', name), 'utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown)
}

beforeAll(() => {
  const stage = join(work, 'stage')
  execFileSync(process.execPath, [join(root, 'scripts/build-libraries.ts'), join(stage, 'lib')])
  cpSync(join(root, 'package.json'), join(stage, 'package.json'))
  execFileSync('npm', ['pack', '--ignore-scripts', '--offline', '--silent', '--pack-destination', work], {
    cwd: stage,
  })
  const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const modules = join(consumer, 'node_modules')
  mkdirSync(join(modules, 'chandler'), { recursive: true })
  execFileSync('tar', [
    '-xzf',
    join(work, `chandler-${version}.tgz`),
    '-C',
    join(modules, 'chandler'),
    '--strip-components=1',
  ])
  for (const name of Object.keys(dependencies)) {
    mkdirSync(join(modules, name, '..'), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  writeFileSync(join(consumer, 'package.json'), '{"type": "module"}')
})

afterAll(() => rmSync(work, { recursive: true, force: true }))

test('the pages have examples', () => {
  expect([examples.length > 3, examplesForNode.length > 0]).toEqual([true, true])
})

test.each(nodes)('the examples of the pages print what they say on Node $major', ({ path }) => {
  for (const [i, { code, printed }] of [...examples, ...examplesForNode].entries()) {
    const file = join(consumer, `example-${i}.js`)
    writeFileSync(file, code)
    expect(execFileSync(path, [file], { encoding: 'utf8' }).trim()).toBe(printed)
  }
})

test.each(nodes)('the corpora have the same answers on Node $major', ({ path }) => {
  expect(answersOn(path)).toEqual(answersOn(process.execPath))
})

function answersOn(path: string): readonly string[] {
  const files = { answers: 'answers.mjs', rows: 'rows.json', main: 'main.mjs' }
  cpSync(join(root, 'test/whole/library-answers.mjs'), join(consumer, files.answers))
  writeFileSync(join(consumer, files.rows), JSON.stringify(rows))
  writeFileSync(
    join(consumer, files.main),
    `import { readFileSync } from 'node:fs'\nimport { answersTo } from './${files.answers}'\nconsole.log(JSON.stringify(answersTo(JSON.parse(readFileSync('${files.rows}', 'utf8')))))`,
  )
  const printed = execFileSync(path, [files.main], {
    cwd: consumer,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  const answers = JSON.parse(printed) as readonly string[]
  expect(answers.length).toBeGreaterThan(2500)
  return answers
}

/** A script for browsers that has everything in it. */
async function bundled(name: string, code: string): Promise<string> {
  const entry = join(consumer, name)
  writeFileSync(entry, code)
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  })
  const [bundle] = outputFiles
  expect(bundle?.text).not.toMatch(/from "node:|require\("node:/)
  return bundle?.text ?? ''
}

const imports = [
  "import { compile, processSpiff } from 'chandler/spiff'",
  "import { brokerFunctions, evaluate, evaluateText, jsonScope, parse } from 'chandler/hil'",
]

test('a bundle for browsers needs nothing of Node', async () => {
  const code = examples.map((example) => `{\n${example.code.replace(/^import.*$/gm, '')}\n}`)
  const bundle = await bundled('examples.js', [...imports, ...code].join('\n'))
  const file = join(work, 'bundle.mjs')
  const hidden = 'for (const name of ["process", "Buffer", "require"]) delete globalThis[name];\n'
  writeFileSync(file, hidden + bundle)
  const printed = examples.map((example) => example.printed).join('\n')

  expect(execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim().replaceAll(/\n+/g, '\n')).toBe(
    printed,
  )
})

test.skipIf(missingChromium !== undefined)(
  'the corpora have the same answers in Chromium, but for what needs the cryptography or compression of Node',
  async () => {
    cpSync(join(root, 'test/whole/library-answers.mjs'), join(consumer, 'answers.mjs'))
    const main = [
      "import { answersTo } from './answers.mjs'",
      `const answers = answersTo(${JSON.stringify(rows)})`,
      "document.body.textContent = 'begin' + btoa(encodeURIComponent(JSON.stringify(answers))) + 'end'",
    ]
    const bundle = await bundled('page.js', main.join('\n'))
    const page = join(work, 'page.html')
    // A closing tag inside of the script would end it.
    const script = bundle.replaceAll('</script', '<\\/script')
    writeFileSync(page, `<!doctype html><body><script type="module">${script}</script>`)
    const found = answersInChromium(page)
    const wanted = answersOn(process.execPath)
    const differing = found.flatMap((answer, i) => {
      const same = answer === wanted[i] || /is not available in a browser/.test(answer)
      return same ? [] : [{ row: rows.spiff[i]?.template, answer, wanted: wanted[i] }]
    })

    expect(differing).toEqual([])
    expect(found.filter((answer) => answer.includes('is not available in a browser')).length).toBeLessThan(
      200,
    )
  },
)

function answersInChromium(page: string): readonly string[] {
  const program = findProgram('chromium') ?? 'chromium'
  const profile = join(work, 'profile')
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`]
  const dom = execFileSync(
    program,
    [...flags, '--virtual-time-budget=600000', '--dump-dom', `file://${page}`],
    {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const [, packed = ''] = /begin([A-Za-z0-9+/=]+)end/.exec(dom) ?? []
  return JSON.parse(decodeURIComponent(atob(packed))) as readonly string[]
}

test('programs in TypeScript use them with their declarations', () => {
  writeFileSync(
    join(consumer, 'typed.ts'),
    [
      "import { type Call, type Cell, compile, type Limits, processSpiff, type SpiffFunction, type SpiffResult, type Value } from 'chandler/spiff'",
      "import { brokerFunctions, evaluateText, jsonScope, type Result } from 'chandler/hil'",
      "import { type ComponentDescriptor, type OcmReading, readDescriptor } from 'chandler/ocm'",
      'export const reading: OcmReading<ComponentDescriptor> = readDescriptor("")',
      'const limits: Partial<Limits> = { stepsMax: 1000 }',
      'const double: SpiffFunction = ({ args }: Call): Value => (typeof args[0] === "bigint" ? args[0] * 2n : null)',
      'export const result: SpiffResult = processSpiff({ name: "t", text: "a: 1" }, [], { limits, functions: new Map([["double", double]]) })',
      'export const cell: Cell | undefined = result.kind === "done" ? result.documents[0]?.cell : undefined',
      'export const line: number | undefined = result.kind === "failed" ? result.fault.unresolved[0]?.place?.line : undefined',
      'export const compiled = compile({ name: "t", text: "a: 1" })',
      'export const value: Result = evaluateText("x", jsonScope({}, brokerFunctions({})))',
    ].join('\n'),
  )
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--skipLibCheck',
    'false',
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules/@types'),
  ]
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, ...options, 'typed.ts'], {
    cwd: consumer,
    stdio: 'pipe',
    encoding: 'utf8',
  })
})

test.each(['hil', 'ocm', 'spiff'])('chandler/%s exports every type that a signature of it names', (name) => {
  const folder = join(consumer, 'node_modules/chandler/lib/types/languages', name)
  const exported = exportsOf(join(folder, 'index.d.ts'))
  const names = new Set(exported.map((one) => one.name))
  const missing = exported.flatMap(({ name: own, file }) =>
    typesNamedBy(own, readFileSync(join(folder, file), 'utf8'))
      .filter((type) => !names.has(type))
      .map((type) => `${own} names ${type} (${file})`),
  )

  expect(exported.length).toBeGreaterThan(10)
  expect(missing).toEqual([])
})

/** What an entrance passes on, and from where. */
function exportsOf(index: string): readonly { readonly name: string; readonly file: string }[] {
  const text = readFileSync(index, 'utf8')
  const own = text.matchAll(/^export (?:declare )?(?:interface|type|function|class|const) (\w+)/gm)
  const declared = [...own].map(([, name = '']) => ({ name, file: 'index.d.ts' }))
  const passedOn = [...text.matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g)].flatMap(
    ([, list = '', from = '']) =>
      list
        .split(',')
        .map((one) => one.trim().replace(/^type /, ''))
        .filter(Boolean)
        .map((name) => ({ name, file: from.replace(/\.(?:js|ts)$/, '.d.ts').replace('.d.d.ts', '.d.ts') })),
  )
  return [...declared, ...passedOn]
}

/** Types that a declaration names and its file declares or imports; those of the platform are not ours. */
function typesNamedBy(name: string, text: string): readonly string[] {
  const bare = text.replace(/\/\*[\s\S]*?\*\//g, '')
  const start = bare.search(
    new RegExp(`^export (?:declare )?(?:abstract )?(?:interface|type|class|function|const) ${name}\\b`, 'm'),
  )
  expect(start, `${name} is declared`).toBeGreaterThanOrEqual(0)
  const after = bare.slice(start + 1)
  const end = after.search(/^(?:export|declare|interface|type|class|import) /m)
  const declaration = (end < 0 ? after : after.slice(0, end))
    .replace(/'[^'\n]*'/g, "''")
    .replace(/^\s*(?:private|protected) .*$/gm, '')
  const words = new Set(declaration.match(/\b[A-Z][A-Za-z0-9]*\b/g) ?? [])
  words.delete(name)
  return [...words].filter((word) => isOurs(word, bare))
}

function isOurs(word: string, text: string): boolean {
  const declared = new RegExp(
    `^(?:export )?(?:declare )?(?:interface|type|class|const) ${word}\\b`,
    'm',
  ).test(text)
  return declared || new RegExp(`^import [^;]*\\b${word}\\b[^;]* from '\\.`, 'm').test(text)
}
