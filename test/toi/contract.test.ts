import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { build } from '../../src/authoring/ocm/make.ts'
import { toi } from '../../src/contracts/toi/index.ts'
import type { Json, JsonObject } from '../../src/kit/json.ts'
import { readSpiff } from '../../src/languages/spiff/index.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import type { Package } from '../../src/model/package.ts'
import { type Problem, toProblem } from '../../src/model/problem.ts'
import type { Action } from '../../src/model/situation.ts'
import { ensurePrograms } from '../support/debian.ts'
import { type FlakyServer, startFlakyServer } from '../support/flaky-server.ts'
import { freshFolder } from '../support/image.ts'
import { componentIn, componentName, executorRef, place, quiet } from './component.ts'
import { type Ending, inputOf, packageAt, prepared, report, situation } from './stage.ts'

const missing = ensurePrograms('busybox')
let home: string
let ctf: string
beforeAll(async () => {
  home = freshFolder('toi-contract')
  if (missing === undefined) ctf = await componentIn(home, { run: 'true', package: { executors: [] } })
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

let count = 0
/** A package document in a component of its own, which references the executor that is there. */
async function withPackage(
  pkg: Json,
  more: readonly JsonObject[] = [],
  options: JsonObject = {},
  skipDigests = false,
) {
  const version = `1.0.${++count}`
  const file = join(home, `${version}.json`)
  const text = typeof pkg === 'string' ? pkg : JSON.stringify(pkg)
  writeFileSync(
    file,
    JSON.stringify({
      name: componentName,
      version,
      provider: { name: 'example.org' },
      resources: [{ name: 'package', type: 'toiPackage', input: { type: 'utf8', text } }, ...more],
      references: [{ name: 'executor', componentName: 'example.org/test/executor', version: '1.0.0' }],
    }),
  )
  const templates = { template: (one: string) => one, inputTemplate: (one: string) => one, values: {} }
  await build({ file, to: ctf, overwrite: false, skipDigests, ...templates, ...quiet }, place)
  mkdirSync(join(home, 'store'), { recursive: true })
  return await packageAt(join(home, 'store'), `ocm:${ctf}//${componentName}:${version}`, options)
}

async function problemsOf(work: Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await work
    return []
  } catch (error) {
    const { others = [], ...first } = toProblem(error)
    return [first, ...others]
  }
}

describe.skipIf(missing !== undefined)('a package', () => {
  test.each<[string, Json, string, string]>([
    ['that is no YAML', 'a: [', 'toi.package.invalid', '"package spec" is invalid'],
    ['that is a list', [1], 'toi.package.invalid', 'it is no map'],
    [
      'of years before',
      { executors: [{ imageResourceRef: { resource: { name: 'x' } } }] },
      'toi.package.invalid',
      'it is resourceRef now',
    ],
    [
      'whose entry names nothing to run',
      { executors: [{}] },
      'toi.executor.invalid',
      'executor resource reference required for toi package executor',
    ],
    [
      'whose reference has no name',
      { executors: [{ resourceRef: { resource: { platform: 'x' } } }] },
      'toi.package.invalid',
      'at least resource name must be specified',
    ],
    [
      'that leads to nothing',
      { executors: [{ resourceRef: { resource: { name: 'nothing' } } }] },
      'toi.resource.missing',
      `name=nothing in ${componentName}`,
    ],
    [
      'that leads through nothing',
      { executors: [{ resourceRef: { resource: { name: 'image' }, referencePath: [{ name: 'nowhere' }] } }] },
      'toi.resource.missing',
      'cannot resolve component version for reference name=nowhere',
    ],
    [
      'that runs a document',
      { executors: [{ resourceRef: { resource: { name: 'package' } } }] },
      'toi.executor.invalid',
      'neither ociImage nor toiExecutor',
    ],
    [
      'with an output that climbs out',
      { executors: [{ resourceRef: executorRef, outputs: { '../x': 'x' } }] },
      'toi.package.invalid',
      'below the outputs folder',
    ],
    [
      'with an output that is no name',
      { executors: [{ resourceRef: executorRef, outputs: { x: '../x' } }] },
      'toi.package.invalid',
      'is no name',
    ],
    [
      'that runs an image of this machine',
      { executors: [{ image: { ref: 'oci:/var/images' } }] },
      'reference.invalid',
      'is not a host',
    ],
    [
      'that runs an archive of this machine',
      { executors: [{ image: { ref: 'docker-archive:/etc/hostname' } }] },
      'reference.invalid',
      'is not a host',
    ],
    [
      'that runs another package',
      { executors: [{ image: { ref: 'ocm:/etc//a.de/b' } }] },
      'reference.invalid',
      'is not a host',
    ],
    [
      'with a library that is not there',
      { executors: [{ resourceRef: executorRef }], templateLibraries: [{ resource: { name: 'lib' } }] },
      'toi.resource.missing',
      'name=lib',
    ],
  ])('%s is refused with its reason', async (_, pkg, code, words) => {
    const found = await problemsOf(withPackage(pkg))

    expect(found.map((one) => one.code)).toContain(code)
    expect(found.map(({ detail }) => detail).join('\n')).toContain(words)
  })

  test('says all its faults at once', async () => {
    const found = await problemsOf(
      withPackage({
        executors: [{}, { resourceRef: { resource: { name: 'a1' } } }],
        templateLibraries: [{ resource: { name: 'b1' } }],
      }),
    )

    expect(found.map(({ code }) => code).toSorted()).toEqual([
      'toi.executor.invalid',
      'toi.resource.missing',
      'toi.resource.missing',
    ])
  })

  test('may call a path as the manual does, with a warning', async () => {
    const { warnings } = await withPackage({
      executors: [{ resourceRef: { resource: { name: 'executor' }, resourcePath: [{ name: 'executor' }] } }],
    })

    expect(warnings.map(({ code }) => code)).toEqual(['toi.package.field-renamed'])
  })

  test.each<[JsonObject, string]>([
    [{ package: { name: 'other' } }, 'toi.package.missing'],
    [{ package: { platform: 'x' } }, 'toi.package.missing'],
    [{ sizes: 1 }, 'toi.options.invalid'],
  ])('is not found with the options %j', async (options, code) => {
    expect((await problemsOf(withPackage({ executors: [] }, [], options))).map((one) => one.code)).toEqual([
      code,
    ])
  })
})

describe.skipIf(missing !== undefined)('an executor that lies at a web address', () => {
  let server: FlakyServer
  beforeEach(async () => {
    server = await startFlakyServer((_, response) => response.end('any bytes'))
  })
  afterEach(() => server.stop())

  test.each<[string, (host: string) => string]>([
    ['the address', (host) => `http://${host}/image.tar`],
    ['the address with TLS', (host) => `https://${host}/image.tar`],
    ['the address as that of a registry', (host) => `docker://http://${host}/image.tar`],
  ])('is not fetched where a package gives %s as its image', async (_, ref) => {
    const found = await problemsOf(withPackage({ executors: [{ image: { ref: ref(server.host) } }] }))

    expect(found.map(({ code }) => code)).toEqual(['reference.invalid'])
    expect(server.asked).toEqual([])
  })

  const elsewhere: readonly [string, (url: string) => JsonObject][] = [
    ['wget', (url) => ({ url: `${url}/image.tar`, mediaType: 'application/x-tar' })],
    ['gitHub', (url) => ({ repoUrl: `${url}/a/b`, commit: 'a'.repeat(40) })],
    ['npm', (url) => ({ registry: url, package: 'image', version: '1.0.0' })],
    ['maven', (url) => ({ repoUrl: url, groupId: 'a', artifactId: 'b', version: '1.0.0' })],
    ['helm', (url) => ({ helmRepository: url, helmChart: 'image:1.0.0' })],
    [
      'ocm',
      (url) => ({
        ocmRepository: { type: 'OCIRegistry', baseUrl: url },
        component: 'example.org/other',
        version: '1.0.0',
        resourceRef: { resource: { name: 'image' } },
      }),
    ],
  ]
  test.each(
    elsewhere.flatMap(([type, access]) =>
      ['ociImage', 'toiExecutor'].map((kind) => [type, kind, access] as const),
    ),
  )('is not fetched by an access of type %s of a resource of type %s', async (type, kind, access) => {
    const resource = {
      name: 'away',
      version: '1.0.0',
      type: kind,
      relation: 'external',
      access: { type, ...access(`http://${server.host}`) },
    }
    const pkg = { executors: [{ resourceRef: { resource: { name: 'away' } } }] }
    const found = await problemsOf(withPackage(pkg, [resource], {}, true))

    expect(found.map(({ code }) => code)).toEqual(['ocm.access.unsupported'])
    expect(server.asked).toEqual([])
  })

  test('is asked for where it is a registry', async () => {
    const image = { ref: `${server.host}/team/image:1` }

    expect(await problemsOf(withPackage({ executors: [{ image }] }))).toHaveLength(1)
    expect(server.asked).toContain('GET /v2/team/image/manifests/1')
  })
})

describe.skipIf(missing !== undefined)('what is given', () => {
  let pkg: Package
  beforeAll(async () => {
    const read = await withPackage({
      executors: [
        {
          actions: ['install', 'uninstall'],
          resourceRef: executorRef,
          parameterMapping: {
            text: '(( stub(text) || "none" ))',
            secret: '(( hasCredentials("key") ? getCredentials("key", "*") :"none" ))',
          },
          outputs: { made: 'made', 'below/more': 'more' },
        },
      ],
      configTemplate: { text: '(( merge || "none" ))' },
      credentials: { key: { optional: true } },
    })
    pkg = read.package
  })
  const parametersWith = (text: string, options: JsonObject = {}) => {
    const job = prepared(
      { kind: 'provision' },
      situation(pkg, { parameters: { text }, infrastructure: { 'key.value': 'hidden' } }, options),
    )
    return 'program' in job ? inputOf(job, 'parameters') : job
  }

  test.each(['plain', '(( 1 + 1 ))', '((! 1 + 1 ))', 'a((b))c', '(( getCredentials("key") ))', '((', '<<<'])(
    'by users of a platform is data: %s',
    (text) => {
      const read = readSpiff({ name: 'parameters', text: String(parametersWith(text)) })

      expect(JSON.parse(read.kind === 'done' ? (read.documents[0]?.json() ?? '') : '')).toEqual({
        text,
        secret: 'hidden',
      })
    },
  )

  test('by the operator may be an expression', () => {
    expect(parametersWith('(( 1 + 1 ))', { expressions: true })).toContain('text: 2\n')
  })

  test.each<[string, string]>([
    ['read a file', '(( read("/etc/passwd", "text") ))'],
    ['write a file', '(( write("/tmp/written-by-a-template", "x") ))'],
    ['run a program', '(( exec("id") ))'],
    ['pipe to a program', '(( pipe("x", "cat") ))'],
    ['read the environment', '(( env("HOME") ))'],
    ['look for files', '(( lookup_file("passwd", "/etc") ))'],
    ['list a folder', '(( list_files("/etc") ))'],
    ['make a file', '(( tempfile("x") ))'],
    ['fetch an address', '(( read("http://127.0.0.1:1/", "text") ))'],
    ['never end', '(( lambda |x|-> x(x) ))((( lambda |x|-> x(x) )))'],
    ['call itself for ever', '(( &temporary ( |f,n|->f(f,n+1) )( |f,n|->f(f,n+1), 0) ))'],
    ['fill the memory', '(( map[[0..100000000]|x|->x] ))'],
  ])('a template cannot %s', async (_, expression) => {
    const { package: hostile } = await withPackage({
      executors: [{ resourceRef: executorRef, config: { a: expression } }],
    })
    const found = prepared({ kind: 'provision' }, situation(hostile))

    if ('program' in found) expect(inputOf(found, 'config')).not.toMatch(/root:|uid=|\/root|\/home/)
    else expect(found.map(({ code }) => code)).toEqual(['toi.config.invalid'])
  })

  const outcome = (action: Action, ending: Ending, carryover: Outcome['carryover'] = {}): Outcome => {
    const conclusion = toi.conclude(
      action,
      situation(pkg, { parameters: { text: 'x' }, carryover }),
      report(ending),
    )
    if (conclusion.kind !== 'done') throw new Error('another stage follows')
    return conclusion.outcome
  }
  const textsOf = (carryover: Outcome['carryover']) =>
    Object.fromEntries(
      Object.entries(carryover ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]),
    )

  test('an install leaves what its uninstall has to know', () => {
    const made = outcome(
      { kind: 'provision' },
      { written: { made: 'one', 'below/more': 'two' }, logTail: 'ready\n' },
    )

    expect(made.problems).toEqual([])
    expect(made.message).toBe('ready')
    expect(textsOf(made.carryover)).toEqual({
      version: `${componentName}:${pkg.version}`,
      parameters: '{"text":"x"}',
      'outputs/made': 'one',
      'outputs/more': 'two',
    })
    expect(outcome({ kind: 'deprovision' }, {}, made.carryover).carryover).toEqual({})
  })

  test('an output beyond its bound is told by name', () => {
    const options = { outputsBytes: 3 }
    const conclusion = toi.conclude(
      { kind: 'provision' },
      situation(pkg, {}, options),
      report({ written: { made: 'four' } }),
    )

    expect(conclusion.kind === 'done' && conclusion.outcome.problems).toMatchObject([
      { code: 'toi.output.invalid', detail: 'made has 4 bytes, more than 3' },
    ])
  })

  test('files that nobody wants, and those that are missing, are no fault', () => {
    const { problems, outputs } = outcome({ kind: 'provision' }, { written: { other: 'x' } })

    expect([problems, outputs]).toEqual([[], []])
  })

  test('an uninstall is given the parameters of the install', () => {
    const made = outcome({ kind: 'provision' }, {})
    const job = prepared({ kind: 'deprovision' }, situation(pkg, { carryover: made.carryover ?? {} }))

    expect('program' in job && inputOf(job, 'parameters')).toContain('text: x')
  })

  test.each<[string, Ending, string, string]>([
    ['fails', { exit: 4 }, 'toi.run.failed', 'container exit code: 4'],
    ['cannot be started', { end: { kind: 'not-started', detail: 'no image' } }, 'toi.run.start', 'no image'],
    ['takes too long', { end: { kind: 'timed-out' } }, 'toi.run.timeout', 'longer than it may'],
    ['is stopped', { end: { kind: 'stopped' } }, 'operation.cancelled', 'was stopped'],
    ['is lost', { end: { kind: 'lost' } }, 'operation.interrupted', 'nobody saw'],
    ['needs too much', { end: { kind: 'limit', limit: 'memory' } }, 'toi.run.failed', 'memory limit'],
  ])('a run that %s keeps what it has written', (_, ending, code, words) => {
    const failed = outcome({ kind: 'provision' }, { ...ending, written: { made: 'half' } })

    expect(failed.problems.map((one) => one.code)).toEqual([code])
    expect(failed.problems[0]?.detail).toContain(words)
    expect(textsOf(failed.carryover)['outputs/made']).toBe('half')
  })

  const problemsFor = async (
    more: JsonObject,
    infrastructure = {},
    action: Action = { kind: 'provision' },
  ) => {
    const { package: read } = await withPackage({ executors: [{ resourceRef: executorRef }], ...more })
    const found = prepared(action, situation(read, { parameters: { text: 'x' }, infrastructure }))
    return 'program' in found ? [] : found.map(({ code }) => code)
  }
  const asks = { credentials: { key: { properties: { user: 'who logs in' } } } }
  test.each<[string, string, JsonObject, Record<string, string>?]>([
    ['no executor takes the action', 'toi.executor.missing', { executors: [] }],
    [
      'the parameters break the scheme',
      'toi.parameters.invalid',
      { configScheme: { type: 'object', required: ['size'] } },
    ],
    [
      'the mapping cannot be calculated',
      'toi.mapping.failed',
      { executors: [{ resourceRef: executorRef, parameterMapping: { other: '(( 1 / 0 ))' } }] },
    ],
    ['a credential is not given', 'toi.credentials.missing', asks, { TOICredentials: 'credentials: {}' }],
    ['the credentials are no map', 'toi.credentials.invalid', asks, { TOICredentials: '5' }],
  ])('an order is refused where %s', async (_, code, more, infrastructure) => {
    expect(await problemsFor(more, infrastructure)).toContain(code)
  })

  test('an executor asks for credentials that the package gives another shape', async () => {
    const spec = {
      imageRef: { resource: { name: 'image' }, referencePath: [{ name: 'executor' }] },
      credentials: { login: asks.credentials.key },
    }
    const resources = [
      {
        name: 'asking',
        type: 'toiExecutor',
        input: { type: 'utf8', json: spec, mediaType: 'application/x-yaml' },
      },
    ]
    const executor = {
      resourceRef: { resource: { name: 'asking' } },
      credentialMapping: { other: 'unknown' },
    }
    const { package: read } = await withPackage(
      { executors: [executor], credentials: { login: { properties: { password: 'x' } } } },
      resources,
    )
    const found = prepared(
      { kind: 'provision' },
      situation(read, { infrastructure: { 'login.password': 'x' } }),
    )

    expect('program' in found ? [] : found.map(({ code }) => code)).toContain('toi.credentials.mismatch')
  })

  test('a failed update keeps the parameters that are installed', () => {
    const made = outcome({ kind: 'provision' }, {})
    const conclusion = toi.conclude(
      { kind: 'update' },
      situation(pkg, { parameters: { text: 'y' }, carryover: made.carryover ?? {} }),
      report({ exit: 1 }),
    )

    expect(conclusion.kind === 'done' && textsOf(conclusion.outcome.carryover)['parameters']).toBe(
      '{"text":"x"}',
    )
  })

  test('outputs are handed out as what they are', () => {
    const written = { made: 'user: ada\nage: 36\n', 'below/more': 'just text\n' }
    const made = outcome({ kind: 'provision' }, { written })
    const answer = toi.prepare({ kind: 'bind' }, situation(pkg, { carryover: made.carryover ?? {} }))

    expect(answer).toMatchObject({
      kind: 'nothing-to-run',
      outcome: { binding: { credentials: { made: { user: 'ada', age: 36 }, more: 'just text' } } },
    })
  })
})
