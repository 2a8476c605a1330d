/** Bundles that were written to do harm, as what each adds to a good one. */
import type { Json, JsonObject } from '../../src/kit/json.ts'

/** A bundle with nothing wrong about it. */
export const whole: JsonObject = {
  schemaVersion: '1.2.0',
  name: 'app',
  version: '1.0.0',
  invocationImages: [{ image: 'app:1', contentDigest: `sha256:${'a'.repeat(64)}` }],
}
const text = { text: { type: 'string', default: 'x' } }

export const bytesOf = (value: Json) => new TextEncoder().encode(JSON.stringify(value))
export const parameterAt = (destination: JsonObject) => ({
  definitions: text,
  parameters: { p: { definition: 'text', destination } },
})
const credentialAt = (place: JsonObject) => ({ credentials: { c: place } })
const outputAt = (path: string) => ({ definitions: text, outputs: { o: { definition: 'text', path } } })
export const nested = (depth: number): Json => (depth === 0 ? {} : { a: nested(depth - 1) })
const many = (count: number, value: Json) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, value]))

/** Name, what is added to a good bundle, the code and the place of what is told. */
export const hostileFragments: readonly (readonly [string, JsonObject, string, string])[] = [
  [
    'a parameter climbs out of its root',
    parameterAt({ path: '/../../etc/cron.d/job' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a relative parameter climbs',
    parameterAt({ path: '../../etc/passwd' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter climbs in the middle',
    parameterAt({ path: '/in/../../x' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter hides in dots',
    parameterAt({ path: '/in/./x' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter hides in slashes',
    parameterAt({ path: '/in//x' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter is a folder',
    parameterAt({ path: '/in/' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter is the root',
    parameterAt({ path: '/' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter has a zero byte in its path',
    parameterAt({ path: '/in/x\0y' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter has a line break in its path',
    parameterAt({ path: '/in/x\ny' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter writes backwards',
    parameterAt({ path: '/in/\u202etxt' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter has a name too long for any file system',
    parameterAt({ path: `/in/${'x'.repeat(300)}` }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter replaces the run tool',
    parameterAt({ path: '/cnab/app/run' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter stands in for the folder of the run tool',
    parameterAt({ path: '/cnab/app' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter replaces the bundle',
    parameterAt({ path: '/cnab/bundle.json' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter makes the bundle a folder',
    parameterAt({ path: '/cnab/bundle.json/x' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter replaces the claim',
    parameterAt({ path: '/cnab/claim.json' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter replaces the relocation map',
    parameterAt({ path: '/cnab/app/relocation-mapping.json' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter forges an output',
    parameterAt({ path: '/cnab/app/outputs/o' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter forges the bundle of a dependency',
    parameterAt({ path: '/cnab/app/dependencies/db/bundle.json' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter writes to the kernel',
    parameterAt({ path: '/proc/sys/kernel/core_pattern' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter writes to a device',
    parameterAt({ path: '/dev/sda' }),
    'cnab.path.refused',
    '/parameters/p/destination/path',
  ],
  [
    'a parameter pretends to be the runtime',
    parameterAt({ env: 'CNAB_ACTION' }),
    'cnab.destination.reserved',
    '/parameters/p/destination/env',
  ],
  [
    'a parameter takes a reserved name',
    parameterAt({ env: 'CNAB_ANYTHING' }),
    'cnab.destination.reserved',
    '/parameters/p/destination/env',
  ],
  [
    'a variable has an equals sign',
    parameterAt({ env: 'A=B' }),
    'cnab.bundle.invalid',
    '/parameters/p/destination/env',
  ],
  [
    'a variable has a line break',
    parameterAt({ env: 'A\nB' }),
    'cnab.bundle.invalid',
    '/parameters/p/destination/env',
  ],
  [
    'a variable has a zero byte',
    parameterAt({ env: 'A\0B' }),
    'cnab.bundle.invalid',
    '/parameters/p/destination/env',
  ],
  [
    'a credential climbs out of its root',
    credentialAt({ path: '/../root/.ssh/key' }),
    'cnab.path.refused',
    '/credentials/c/path',
  ],
  [
    'a credential is written among the outputs',
    credentialAt({ path: '/cnab/app/outputs/c' }),
    'cnab.path.refused',
    '/credentials/c/path',
  ],
  [
    'a credential pretends to be the runtime',
    credentialAt({ env: 'CNAB_REVISION' }),
    'cnab.destination.reserved',
    '/credentials/c/env',
  ],
  [
    'a parameter hides a credential',
    { ...parameterAt({ env: 'SAME' }), ...credentialAt({ env: 'SAME' }) },
    'cnab.destination.conflict',
    '/parameters/p',
  ],
  [
    'a parameter makes the file of a credential a folder',
    { ...parameterAt({ path: '/secret/c/x' }), ...credentialAt({ path: '/secret/c' }) },
    'cnab.destination.conflict',
    '/parameters/p',
  ],
  [
    'an output reads a file of the host',
    outputAt('/cnab/app/outputs/../../../etc/shadow'),
    'cnab.path.refused',
    '/outputs/o/path',
  ],
  ['an output lies elsewhere', outputAt('/etc/shadow'), 'cnab.path.refused', '/outputs/o/path'],
  ['an output is all outputs', outputAt('/cnab/app/outputs'), 'cnab.path.refused', '/outputs/o/path'],
  [
    'an output lies beside the outputs',
    outputAt('/cnab/app/outputs-of-others/o'),
    'cnab.path.refused',
    '/outputs/o/path',
  ],
  ['an output is relative', outputAt('o'), 'cnab.path.refused', '/outputs/o/path'],
  ['an output has a zero byte', outputAt('/cnab/app/outputs/o\0'), 'cnab.path.refused', '/outputs/o/path'],
  [
    'two outputs share a file',
    {
      definitions: text,
      outputs: {
        a: { definition: 'text', path: '/cnab/app/outputs/x' },
        b: { definition: 'text', path: '/cnab/app/outputs/x' },
      },
    },
    'cnab.destination.conflict',
    '/outputs/b/path',
  ],
  [
    'an output is the folder of another',
    {
      definitions: text,
      outputs: {
        a: { definition: 'text', path: '/cnab/app/outputs/x' },
        b: { definition: 'text', path: '/cnab/app/outputs/x/y' },
      },
    },
    'cnab.destination.conflict',
    '/outputs/b/path',
  ],
  [
    'a definition refers to another server',
    { definitions: { d: { $ref: 'https://registry.invalid/schema.json' } } },
    'cnab.definition.invalid',
    '/definitions/d',
  ],
  [
    'a definition refers to a file',
    { definitions: { d: { $ref: 'file:///etc/passwd' } } },
    'cnab.definition.invalid',
    '/definitions/d',
  ],
  [
    'a definition has an expression that is none',
    { definitions: { d: { type: 'string', pattern: '(' } } },
    'cnab.definition.invalid',
    '/definitions/d',
  ],
  [
    'a definition has a type that is none',
    { definitions: { d: { type: 'shell' } } },
    'cnab.definition.invalid',
    '/definitions/d',
  ],
  ['a definition is a text', { definitions: { d: 'string' } }, 'cnab.definition.invalid', '/definitions/d'],
  [
    'a definition follows itself',
    { definitions: { d: { $ref: '#', default: 1 } } },
    'cnab.definition.default',
    '/definitions/d/default',
  ],
  [
    'an expression backtracks for ever over its own default',
    { definitions: { d: { type: 'string', pattern: '^(?=(a+)+$)b', default: `${'a'.repeat(60)}!` } } },
    'cnab.definition.default',
    '/definitions/d/default',
  ],
  [
    'a default does not keep to its definition',
    { definitions: { d: { type: 'integer', default: '; rm -rf /' } } },
    'cnab.definition.default',
    '/definitions/d/default',
  ],
  [
    'a parameter uses a property of objects as its definition',
    { parameters: { p: { definition: 'constructor', destination: { env: 'P' } } } },
    'cnab.definition.missing',
    '/parameters/p/definition',
  ],
  [
    'an action replaces install',
    { actions: { install: { stateless: true } } },
    'cnab.bundle.invalid',
    '/actions/install',
  ],
  [
    'an action has a line break in its name',
    { actions: { 'a\nb': {} } },
    'cnab.bundle.invalid',
    '/actions/a\nb',
  ],
  [
    'a parameter has an invisible name',
    { definitions: text, parameters: { '\u200b': { definition: 'text', destination: { env: 'P' } } } },
    'cnab.bundle.invalid',
    '/parameters/\u200b',
  ],
  ['the name forges lines of a log', { name: 'app\n2026 ERROR all is lost' }, 'cnab.bundle.invalid', '/name'],
  ['the name is as long as a book', { name: 'x'.repeat(100_000) }, 'cnab.bundle.invalid', '/name'],
  ['the version is a program', { version: '$(id)' }, 'cnab.bundle.invalid', '/version'],
  [
    'an image has a line break',
    { invocationImages: [{ image: 'app:1\n--privileged' }] },
    'cnab.bundle.invalid',
    '/invocationImages/0',
  ],
  ['there is no image to be run', { invocationImages: [] }, 'cnab.bundle.invalid', '/invocationImages'],
  ['the images are a map', { invocationImages: { a: 1 } }, 'cnab.bundle.not-a-bundle', ''],
  [
    'an extension is required that is nowhere',
    { requiredExtensions: ['toString'] },
    'cnab.extension.undeclared',
    '/requiredExtensions/0',
  ],
  [
    'an extension is required twice',
    { custom: { x: 1 }, requiredExtensions: ['x', 'x'] },
    'cnab.bundle.invalid',
    '/requiredExtensions/1',
  ],
  [
    'there are more parameters than anybody reads',
    { definitions: text, parameters: many(5000, { definition: 'text', destination: { env: 'P' } }) },
    'cnab.bundle.too-large',
    '/parameters',
  ],
  [
    'the definitions are a library',
    { definitions: many(9000, { type: 'string', minLength: 1 }) },
    'cnab.bundle.too-large',
    '/definitions',
  ],
  ['a list of texts holds others', { keywords: ['a', { b: 1 }] }, 'cnab.bundle.invalid', '/keywords'],
]
