/** Settings from the environment and from flags: texts that become values by the kind of the setting. */
import { isObject, type Json } from '../kit/json.ts'
import { nearest } from '../kit/text.ts'
import type { Problem } from '../model/problem.ts'
import { type Layer, LooseLayer } from './layer.ts'
import { camel, type Named, variableOf } from './names.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface LooseRead {
  readonly layer: Layer
  readonly problems: readonly Problem[]
}

/** Variables that mean something to the command line, not to the settings. */
export const cliVariables = [
  'CHANDLER_CONFIG',
  'CHANDLER_CONTEXT',
  'CHANDLER_SERVER',
  'CHANDLER_USER',
  'CHANDLER_PASSWORD',
  'CHANDLER_PASSWORD_FILE',
]

/** `CHANDLER_HTTP_LISTEN` and its like. */
export function readEnvironment(
  named: readonly Named[],
  environment: Environment,
  folder: string,
): LooseRead {
  const layer = new LooseLayer('environment', folder)
  const problems: Problem[] = []
  for (const { path, node } of named) {
    const variable = variableOf(path)
    const given = environment[variable]
    const file = node.kind === 'leaf' && node.secret ? environment[`${variable}_FILE`] : undefined
    if (given !== undefined) putText(layer, { path, node }, { text: given, source: variable }, problems)
    if (file !== undefined) layer.put(`${path}_file`, file, `${variable}_FILE`)
  }
  return { layer, problems }
}

/** Variables that look like ours and are none; a warning only, for Kubernetes makes some of its own. */
export function strayVariables(named: readonly Named[], environment: Environment): readonly Problem[] {
  const known = named.flatMap(({ path }) => [variableOf(path), `${variableOf(path)}_FILE`])
  return Object.keys(environment)
    .filter((name) => name.startsWith('CHANDLER_') && ![...known, ...cliVariables].includes(name))
    .filter((name) => !/^CHANDLER_(SERVICE_(HOST|PORT)|PORT)(_|$)/.test(name))
    .map((name) => {
      const near = nearest(name, known)
      return {
        code: 'settings.invalid',
        detail: `${name} is no setting${near ? `; did you mean ${near}?` : ''}`,
        where: { source: 'environment' },
      }
    })
}

/** `http.listen=:8080` and its like, in the order given. */
export function readFlags(
  named: readonly Named[],
  flags: Readonly<Record<string, string>>,
  folder: string,
): LooseRead {
  const layer = new LooseLayer('flag', folder)
  const problems: Problem[] = []
  for (const [name, text] of Object.entries(flags)) {
    const path = name.split('.').map(camel).join('.')
    const found = named.find((one) => one.path === path)
    if (found) putText(layer, found, { text, source: `flag ${path}` }, problems)
    else {
      const near = nearest(
        path,
        named.map((one) => one.path),
      )
      problems.push({
        code: 'settings.invalid',
        detail: `${name} is no setting${near ? `; did you mean ${near}?` : ''}`,
        where: { source: 'flag' },
      })
    }
  }
  return { layer, problems }
}

/** What platforms say in their own words: `PORT`, `DATABASE_URL`, `VCAP_SERVICES`, names of pods and instances. */
export function readPlatform(environment: Environment, folder: string): Layer {
  const layer = new LooseLayer('platform', folder)
  const { PORT: port, DATABASE_URL: database, VCAP_SERVICES: services } = environment
  if (port && /^\d{1,5}$/.test(port)) layer.put('http.listen', `0.0.0.0:${port}`, 'PORT')
  const bound = postgresOf(services)
  if (database && /^postgres(ql)?:/.test(database)) layer.put('store.url', database, 'DATABASE_URL')
  else if (bound !== undefined) layer.put('store.url', bound, 'VCAP_SERVICES')
  for (const name of ['POD_NAME', 'CF_INSTANCE_GUID']) {
    const value = environment[name]
    if (value) layer.put('node.name', value, name)
  }
  return layer
}

interface Given {
  readonly text: string
  readonly source: string
}

function putText(
  layer: LooseLayer,
  { path, node }: Named,
  { text, source }: Given,
  problems: Problem[],
): void {
  const type = node.kind === 'items' ? 'array' : node.schema['type']
  const value = parsedText(text, typeof type === 'string' ? type : 'string', node.kind === 'items')
  if (value === undefined) {
    problems.push({
      code: 'settings.invalid',
      detail: `must be ${wanted(type)}`,
      where: { source, pointer: `/${path.replaceAll('.', '/')}` },
    })
  } else layer.put(path, value, source)
}

function parsedText(text: string, type: string, groups: boolean): Json | undefined {
  switch (type) {
    case 'boolean':
      if (['true', '1'].includes(text)) return true
      return ['false', '0'].includes(text) ? false : undefined
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined
    case 'array':
      if (groups || text.startsWith('[')) return parsed(text, Array.isArray)
      return text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
    case 'object':
      return parsed(text, isObject)
    default:
      return text
  }
}

function parsed(text: string, fits: (value: unknown) => boolean): Json | undefined {
  try {
    const value: Json = JSON.parse(text)
    return fits(value) ? value : undefined
  } catch {
    return undefined
  }
}

function wanted(type: Json | undefined): string {
  if (type === 'boolean') return 'true, false, 1 or 0'
  if (type === 'object') return 'a JSON object'
  return type === 'integer' || type === 'number' ? 'a number' : 'a JSON list'
}

function postgresOf(services: string | undefined): string | undefined {
  const document = services === undefined ? undefined : parsed(services, isObject)
  const bound = isObject(document) ? Object.values(document).flat() : []
  for (const service of bound) {
    if (!isObject(service) || !Array.isArray(service['tags'])) continue
    if (!service['tags'].some((tag) => /^postgres/.test(String(tag)))) continue
    const credentials = service['credentials']
    const uri = isObject(credentials) ? (credentials['uri'] ?? credentials['url']) : undefined
    if (typeof uri === 'string') return uri
  }
  return undefined
}
