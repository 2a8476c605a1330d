/** Credentials in the forms that applications read them in: JSON, dotenv, VCAP_SERVICES, files of a service binding. */
import type { Json, JsonObject } from '../kit/json.ts'

/** What credentials belong to. */
export interface BoundThing {
  readonly binding: string
  readonly instance: string
  readonly instanceName?: string | undefined
  readonly service: string
  readonly plan: string
  readonly credentials: JsonObject
}

export const credentialFormats = ['json', 'dotenv', 'vcap', 'files'] as const
export type CredentialFormat = (typeof credentialFormats)[number]

/** The text of a form, with a line feed at its end. */
export function formatCredentials(format: CredentialFormat, bound: BoundThing): string {
  return `${printers[format](bound)}\n`
}

const printers: Readonly<Record<CredentialFormat, (bound: BoundThing) => string>> = {
  json: ({ credentials }) => JSON.stringify(credentials, null, 2),
  dotenv: ({ credentials }) =>
    flat(credentials)
      .map(([path, value]) => `${path.join('_').toUpperCase().replaceAll(/\W/g, '_')}=${inDotenv(value)}`)
      .join('\n'),
  vcap: ({ binding, instance, instanceName, service, plan, credentials }) => {
    const entry = {
      name: instanceName ?? binding,
      binding_name: binding,
      instance_guid: instance,
      instance_name: instanceName ?? instance,
      label: service,
      plan,
      credentials,
    }
    return `VCAP_SERVICES=${inShell(JSON.stringify({ [service]: [entry] }))}`
  },
  files: ({ binding, service, credentials }) => {
    const name = binding.replaceAll(/[^\w.-]/g, '_')
    const entries = [
      ['type', service],
      ...Object.entries(credentials).map(([key, value]) => [key, textOf(value)]),
    ]
    const folder = `"\${SERVICE_BINDING_ROOT:-bindings}"/${name}`
    const write = ([key = '', value = '']: readonly string[]): string =>
      `printf %s ${inShell(value)} > ${folder}/${key.replaceAll(/[^\w.-]/g, '_')}`
    return [`mkdir -p ${folder}`, ...entries.map(write)].join('\n')
  },
}

function flat(
  value: JsonObject,
  above: readonly string[] = [],
): readonly (readonly [readonly string[], string])[] {
  return Object.entries(value).flatMap(([key, each]) => {
    const path = [...above, key]
    const isObject = typeof each === 'object' && each !== null && !Array.isArray(each)
    return isObject ? flat(each as JsonObject, path) : [[path, textOf(each)] as const]
  })
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Readers of such files differ in what they take for an escape, so that a quote is chosen that needs none. */
function inDotenv(value: string): string {
  if (/^[\w.:/@+-]*$/.test(value)) return value
  const quote = ["'", '`'].find((one) => !value.includes(one)) ?? '"'
  return `${quote}${value}${quote}`
}

function inShell(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}
