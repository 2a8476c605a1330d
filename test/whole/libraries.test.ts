/** The languages as somebody else meets them: from a packed tarball, on every Node there is here, in a browser's bundle, with their types. */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const work = mkdtempSync(join(tmpdir(), 'chandler-libraries-'))
const consumer = join(work, 'consumer')
const page = readFileSync(join(root, 'docs/languages/library.md'), 'utf8')

/** The examples of the page with what they print. */
const examples = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => ({
  code,
  printed: [...code.matchAll(/^\/\/ (.*)$/gm)].map(([, line]) => line).join('\n'),
}))

const nodes = [process.execPath, '/usr/bin/node', '/usr/local/bin/node'].filter(
  (path, i, all) => existsSync(path) && all.indexOf(path) === i,
)

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

test('the page has examples', () => {
  expect(examples.length).toBeGreaterThan(3)
})

test.each(nodes)('the examples of the page print what they say on %s', (node) => {
  for (const [i, { code, printed }] of examples.entries()) {
    const file = join(consumer, `example-${i}.js`)
    writeFileSync(file, code)
    expect(execFileSync(node, [file], { encoding: 'utf8' }).trim()).toBe(printed)
  }
})

test('a browser takes them without anything of Node', async () => {
  writeFileSync(
    join(consumer, 'browser.js'),
    examples.map(({ code }, _i) => `{\n${code.replace(/^import.*$/gm, '')}\n}`).join('\n'),
  )
  const imports =
    "import { compile, processSpiff } from 'chandler/spiff'\nimport { brokerFunctions, evaluateText, jsonScope } from 'chandler/hil'\n"
  writeFileSync(join(consumer, 'browser.js'), imports + readFileSync(join(consumer, 'browser.js'), 'utf8'))
  const { outputFiles } = await build({
    entryPoints: [join(consumer, 'browser.js')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  })
  const [bundle] = outputFiles
  expect(bundle?.text).not.toMatch(/from "node:|require\("node:/)
  const file = join(work, 'bundle.mjs')
  const hidden = 'for (const name of ["process", "Buffer", "require"]) delete globalThis[name];\n'
  writeFileSync(file, hidden + (bundle?.text ?? ''))
  const printed = examples.map((example) => example.printed).join('\n')
  expect(execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim().replaceAll(/\n+/g, '\n')).toBe(
    printed,
  )
})

test('their declarations hold every type that a signature names', () => {
  writeFileSync(
    join(consumer, 'typed.ts'),
    [
      "import { type Call, type Cell, compile, type Limits, processSpiff, type SpiffFunction, type SpiffResult, type Value } from 'chandler/spiff'",
      "import { brokerFunctions, evaluateText, jsonScope, type Result } from 'chandler/hil'",
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
