/** Extensions: which are supported, what they say, and what keeps a bundle from being run here. */
import { isObject, type Json, pointer } from '../../kit/json.ts'
import type { Problem } from '../../model/problem.ts'
import type { Bundle } from './bundle.ts'
import type { Options } from './options.ts'

export const extensionNames = {
  dependencies: 'io.cnab.dependencies',
  sources: 'io.cnab.parameter-sources',
  docker: 'io.cnab.docker',
  files: 'sh.porter.file-parameters',
  porter: 'sh.porter',
} as const

const supported: readonly string[] = Object.values(extensionNames)

/** Whether a bundle cannot do without an extension. */
export function requires(bundle: Bundle, extension: string): boolean {
  return bundle.requiredExtensions.includes(extension)
}

/** What the bundle says for an extension; undefined where it says nothing. */
export function extensionOf(bundle: Bundle, extension: string): Json | undefined {
  return Object.hasOwn(bundle.custom, extension) ? bundle.custom[extension] : undefined
}

/** Whether parameters that are binary texts are files: a name that a person types is that of a file. */
export function hasFileParameters(bundle: Bundle): boolean {
  return requires(bundle, extensionNames.files) || extensionOf(bundle, extensionNames.porter) !== undefined
}

/** What of its extensions keeps the bundle from being run. */
export function faultsOfExtensions(bundle: Bundle, options: Options): readonly Problem[] {
  return bundle.requiredExtensions.flatMap((name): readonly Problem[] => {
    const where = { source: 'bundle.json', pointer: pointer('/custom', name) }
    if (!supported.includes(name)) {
      if (options.allowExtensions.includes(name)) return []
      return [
        { code: 'cnab.extension.unsupported', detail: `unsupported required extension: ${name}`, where },
      ]
    }
    const value = extensionOf(bundle, name) ?? null
    if (value !== null && !isObject(value))
      return [{ code: 'cnab.extension.invalid', detail: `${name} must be an object`, where }]
    return name === extensionNames.docker ? faultsOfDocker(value, options, where) : []
  })
}

function faultsOfDocker(
  value: Json,
  { allowDockerHostAccess }: Options,
  where: NonNullable<Problem['where']>,
): readonly Problem[] {
  const privileged = isObject(value) && value['privileged'] === true
  const detail = `extension "${extensionNames.docker}" is required but allowDockerHostAccess was not enabled`
  if (!allowDockerHostAccess) return [{ code: 'cnab.docker.consent', detail, where }]
  // A privileged container is the machine itself; the socket is enough for what bundles do with it.
  return privileged
    ? [{ code: 'cnab.docker.consent', detail: 'privileged containers are never started', where }]
    : []
}
