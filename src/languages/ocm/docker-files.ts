/** Docker configurations that a configuration of OCM names by their files, taken into it. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { readYaml } from '../../kit/yaml.ts'

/** The configuration with the content of these files in place; a file that is not there holds nothing. */
export function withDockerFiles(text: string, read: (path: string) => string | undefined): string {
  const { value, faults } = readYaml(text, { merge: true, aliasesMax: 100 })
  if (faults.length > 0 || !text.includes('dockerConfigFile')) return text
  return JSON.stringify(inlined(value ?? null, read))
}

function inlined(value: Json, read: (path: string) => string | undefined): Json {
  if (Array.isArray(value)) return value.map((item: Json) => inlined(item, read))
  if (!isObject(value)) return value
  const { type, dockerConfigFile, ...rest } = value as JsonObject
  const isFile =
    typeof type === 'string' && /^DockerConfig(?:\/v1)?$/.test(type) && typeof dockerConfigFile === 'string'
  if (isFile && rest['dockerConfig'] === undefined)
    return { ...rest, type, dockerConfig: documentOf(read(dockerConfigFile)) }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inlined(item as Json, read)]))
}

function documentOf(text: string | undefined): JsonObject {
  const { value } = readYaml(text ?? '', { merge: false, aliasesMax: 0 })
  return isObject(value) ? (value as JsonObject) : {}
}
