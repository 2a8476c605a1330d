/** From values and credentials to the variables and files that a run tool finds. */
import type { JsonObject } from '../../kit/json.ts'
import { Secret } from '../../kit/secret.ts'
import type { Problem } from '../../model/problem.ts'
import { actionOf } from './actions.ts'
import { appliesTo, type Bundle, definitionOf, isBinary, isSensitive } from './bundle.ts'
import { requires } from './extensions.ts'
import { legacyVariable } from './format-legacy.ts'
import { fitsVariable } from './places.ts'
import { textOfValue } from './texts.ts'

export interface Injected {
  readonly environment: Readonly<Record<string, string | Secret>>
  readonly files: Readonly<Record<string, string | Secret>>
}

export type Injection =
  | ({ readonly kind: 'injected' } & Injected)
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

export interface InjectionOrder {
  readonly bundle: Bundle
  readonly action: string
  /** Resolved; parameters that have none get an empty text. */
  readonly values: JsonObject
  readonly credentials: Readonly<Record<string, string | Secret>>
}

/** Problems: cnab.credential.missing, cnab.parameter.too-long, cnab.parameter.invalid. */
export function inject(order: InjectionOrder): Injection {
  const environment = new Map<string, string | Secret>()
  const files = new Map<string, string | Secret>()
  const problems: Problem[] = []
  for (const { name, text, env, path, legacy } of [
    ...parametersOf(order),
    ...credentialsOf(order, problems),
  ]) {
    for (const variable of [env, legacy]) {
      if (variable === undefined) continue
      problems.push(...faultsOfVariable(name, variable, text))
      environment.set(variable, text)
    }
    if (path !== undefined) files.set(path, text)
  }
  problems.push(...faultsOfAll(environment))
  const [first, ...rest] = problems
  if (first) return { kind: 'refused', problems: [first, ...rest] }
  return {
    kind: 'injected',
    environment: Object.fromEntries(environment),
    files: Object.fromEntries(files),
  }
}

interface Item {
  readonly name: string
  readonly text: string | Secret
  readonly env?: string | undefined
  readonly path?: string | undefined
  /** What run tools of the years before 1.0 look at. */
  readonly legacy?: string | undefined
}

function parametersOf({ bundle, action, values }: InjectionOrder): readonly Item[] {
  return Object.entries(bundle.parameters).flatMap(([name, parameter]): readonly Item[] => {
    if (!appliesTo(parameter, action)) return []
    const definition = definitionOf(bundle, parameter)
    const has = Object.hasOwn(values, name)
    const plain = has ? textOfValue(values[name] ?? null) : ''
    const text = isSensitive(definition) && plain !== '' ? new Secret(plain) : plain
    // Tools of some years fail on an empty archive, none on one that is not there.
    const isAbsentFile = !has && isBinary(definition) && requires(bundle, 'sh.porter.file-parameters')
    return [
      {
        name,
        text,
        env: parameter.env,
        path: isAbsentFile ? undefined : parameter.path,
        legacy: bundle.legacy ? legacyVariable(name) : undefined,
      },
    ]
  })
}

/** An optional one that is not there sets nothing. */
function credentialsOf(
  { bundle, action, credentials }: InjectionOrder,
  problems: Problem[],
): readonly Item[] {
  const stateless = actionOf(bundle, action)?.stateless === true
  return Object.entries(bundle.credentials).flatMap(([name, credential]): readonly Item[] => {
    if (!appliesTo(credential, action)) return []
    const text = Object.hasOwn(credentials, name) ? credentials[name] : undefined
    if (text === undefined) {
      if (credential.required && !stateless)
        problems.push({ code: 'cnab.credential.missing', detail: `bundle requires credential for ${name}` })
      return []
    }
    const secret = typeof text === 'string' && text !== '' ? new Secret(text) : text
    return [{ name, text: secret, env: credential.env, path: credential.path }]
  })
}

function faultsOfVariable(name: string, variable: string, text: string | Secret): readonly Problem[] {
  const plain = plainOf(text)
  if (plain.includes('\0'))
    return [{ code: 'cnab.parameter.invalid', detail: `${name} holds a zero byte, which no variable can` }]
  if (fitsVariable(variable, plain)) return []
  return [{ code: 'cnab.parameter.too-long', detail: `${name} has ${Buffer.byteLength(plain)} bytes` }]
}

/** What the kernel takes of all variables together, with room for the image's own. */
const variablesBytesMax = 1024 * 1024

function faultsOfAll(environment: ReadonlyMap<string, string | Secret>): readonly Problem[] {
  const bytes = [...environment].reduce(
    (sum, [name, text]) => sum + Buffer.byteLength(name) + Buffer.byteLength(plainOf(text)) + 2,
    0,
  )
  if (bytes <= variablesBytesMax) return []
  return [{ code: 'cnab.parameter.too-long', detail: `all variables together have ${bytes} bytes` }]
}

function plainOf(text: string | Secret): string {
  return typeof text === 'string' ? text : text.reveal()
}
