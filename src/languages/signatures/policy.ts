/** Reads which signers are trusted, and which packages must be signed by whom. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { checkerOf } from '../../kit/schema.ts'
import { certificatesOf } from '../../kit/trust-chain.ts'
import { readYaml } from '../../kit/yaml.ts'
import { keysOf } from './keys.ts'

export interface Signer {
  readonly name: string
  /** Public keys, PEM. */
  readonly keys: readonly string[]
  /** Certificates, PEM, that chains must end at. */
  readonly roots: readonly string[]
  /** Whose the certificate must be: an address, a URL, or parts of a subject. */
  readonly identity?: string
  /** The issuer that must have vouched for it, for certificates of Fulcio. */
  readonly issuer?: string
  /** Public keys, PEM, of the transparency log that says when it was signed. */
  readonly logKeys: readonly string[]
}

export interface Requirement {
  /** The beginning of references. */
  readonly packages: string
  /** Names of signers of which one must have signed; none: nothing is asked. */
  readonly by: readonly string[]
}

export interface SigningPolicy {
  readonly signers: readonly Signer[]
  readonly required: readonly Requirement[]
}

export interface PolicyFault {
  readonly message: string
  readonly pointer: string
  readonly line?: number
  /** What to do, where the message does not say it. */
  readonly hint?: string
}

export interface PolicyReading {
  readonly policy: SigningPolicy
  readonly faults: readonly PolicyFault[]
}

export const emptyPolicy: SigningPolicy = { signers: [], required: [] }

const texts = { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 }
const word = { type: 'string', minLength: 1 }
const check = checkerOf({
  type: 'object',
  additionalProperties: false,
  properties: {
    signers: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: { keys: texts, roots: texts, identity: word, issuer: word, logKeys: texts },
      },
    },
    required: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['packages', 'by'],
        properties: { packages: { type: 'string' }, by: { type: 'array', items: word } },
      },
    },
  },
})

/** Reads a policy. `fileOf` answers the text of a file that it names; undefined where it cannot be read. */
export function readPolicy(text: string, fileOf: (path: string) => string | undefined): PolicyReading {
  const { value, faults: syntax, place } = readYaml(text)
  if (syntax.length > 0)
    return {
      policy: emptyPolicy,
      faults: syntax.map(({ message, line, hint }) => ({ message, line, pointer: '', ...present({ hint }) })),
    }
  const told = (pointer: string, message: string): PolicyFault => {
    const line = place(pointer)?.line
    return { message, pointer, ...present({ line }) }
  }
  const document = value ?? {}
  const shape = check(document)
  if (shape.length > 0 || !isObject(document))
    return { policy: emptyPolicy, faults: shape.map((one) => told(one.pointer, one.message)) }
  const faults: PolicyFault[] = []
  const signers = Object.entries(document['signers'] ?? {}).map(([name, written]) =>
    signerOf(name, written as WrittenSigner, { fileOf, tell: (...fault) => faults.push(told(...fault)) }),
  )
  const required = (document['required'] ?? []) as unknown as readonly Requirement[]
  for (const [i, { by }] of required.entries())
    for (const [k, name] of by.entries())
      if (!signers.some((signer) => signer.name === name))
        faults.push(told(`/required/${i}/by/${k}`, `there is no signer ${name}`))
  return { policy: { signers, required }, faults }
}

type WrittenSigner = JsonObject & {
  readonly keys?: readonly string[]
  readonly roots?: readonly string[]
  readonly logKeys?: readonly string[]
  readonly identity?: string
  readonly issuer?: string
}

interface Ways {
  readonly fileOf: (path: string) => string | undefined
  readonly tell: (pointer: string, message: string) => void
}

function signerOf(name: string, written: WrittenSigner, { fileOf, tell }: Ways): Signer {
  const at = `/signers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const read = (
    field: 'keys' | 'roots' | 'logKeys',
    what: string,
    count: (pem: string) => number,
  ): readonly string[] =>
    (written[field] ?? []).flatMap((path, i) => {
      const text = fileOf(path)
      if (text === undefined) tell(`${at}/${field}/${i}`, `${path} cannot be read`)
      else if (count(text) === 0) tell(`${at}/${field}/${i}`, `${path} holds no ${what} (PEM)`)
      return text === undefined ? [] : [text]
    })
  const { identity, issuer } = written
  const isKey = (pem: string): number => keysOf(pem).length
  const keys = read('keys', 'public key', isKey)
  const roots = read('roots', 'certificate', (pem) => certificatesOf(pem).length)
  const logKeys = read('logKeys', 'public key', isKey)
  if (written.keys === undefined && written.roots === undefined)
    tell(at, `${name} has neither keys nor roots`)
  // Anybody may have a certificate of some root.
  if (written.roots !== undefined && identity === undefined)
    tell(at, `${name} has roots and no identity: say whose certificate is meant`)
  return {
    name,
    keys,
    roots,
    logKeys,
    ...present({ identity, issuer }),
  }
}

/** The names of which one must have signed what a reference names: the longest beginning that fits decides. */
export function requiredFor(policy: SigningPolicy, reference: string): readonly string[] {
  const name = reference.replace(/^docker:\/\//, '')
  const fitting = policy.required.filter(({ packages }) =>
    isBeginning(packages.replace(/^docker:\/\//, ''), name),
  )
  return fitting.toSorted((a, b) => b.packages.length - a.packages.length)[0]?.by ?? []
}

/** Whole words only: `registry.example/team` is no beginning of `registry.example/teammates`. */
function isBeginning(beginning: string, name: string): boolean {
  if (!name.startsWith(beginning)) return false
  const next = name[beginning.length]
  return beginning === '' || next === undefined || /[/:@]$/.test(beginning) || /[/:@]/.test(next)
}
