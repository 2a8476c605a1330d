/** Installation documents: the state that is wanted, and what has to be done for it. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { Problem } from '../../model/problem.ts'
import type { Reading } from './claims.ts'
import type { InstallationState } from './history.ts'

export interface InstallationDocument {
  readonly name: string
  readonly namespace: string
  readonly uninstalled: boolean
  readonly labels: Readonly<Record<string, string>>
  /** In the words of the artifact store. */
  readonly reference: string
  readonly parameterSets: readonly string[]
  readonly credentialSets: readonly string[]
  readonly parameters: JsonObject
}

/** Reads a document. Problems: cnab.installation.invalid, all at once. */
export function readInstallationDocument(document: Json): Reading<InstallationDocument> {
  const problems: Problem[] = []
  const fault = (pointer: string, detail: string): void => {
    problems.push({ code: 'cnab.installation.invalid', detail, where: { pointer } })
  }
  if (!isObject(document))
    return { kind: 'refused', problems: [{ code: 'cnab.installation.invalid', detail: 'it is no map' }] }
  const { schemaType, schemaVersion, name, namespace, uninstalled, labels, bundle, parameters } =
    document as JsonObject
  if (typeof schemaType === 'string' && schemaType.toLowerCase() !== 'installation')
    fault('/schemaType', `is ${schemaType}, not Installation`)
  const unversioned = schemaVersion === undefined || schemaVersion === null || schemaVersion === ''
  if (!unversioned && !/^1\.\d+\.\d+$/.test(String(schemaVersion)))
    fault('/schemaVersion', `${String(schemaVersion)} is no version of an Installation`)
  if (typeof name !== 'string' || name === '') fault('/name', 'a name is missing')
  const names = (key: 'parameterSets' | 'credentialSets'): readonly string[] => {
    const list = document[key] ?? []
    if (Array.isArray(list) && list.every((one) => typeof one === 'string')) return list
    fault(`/${key}`, 'must be a list of names')
    return []
  }
  const value: InstallationDocument = {
    name: String(name),
    namespace: typeof namespace === 'string' ? namespace : '',
    uninstalled: uninstalled === true,
    labels: Object.fromEntries(
      Object.entries(isObject(labels) ? labels : {}).map(([key, text]) => [key, String(text)]),
    ),
    reference: referenceOf(bundle, fault),
    parameterSets: names('parameterSets'),
    credentialSets: names('credentialSets'),
    parameters: isObject(parameters) ? (parameters as JsonObject) : {},
  }
  const [first, ...rest] = problems
  return first ? { kind: 'refused', problems: [first, ...rest] } : { kind: 'read', value }
}

/** A digest says it best, then a version, then a tag; a place of this machine is named by `reference`. */
function referenceOf(bundle: Json | undefined, fault: (pointer: string, detail: string) => void): string {
  const { repository, digest, version, tag, reference } = isObject(bundle) ? bundle : {}
  if (typeof reference === 'string') return reference
  if (typeof repository !== 'string' || repository === '') fault('/bundle/repository', 'must be a text')
  const given = [digest, version, tag].map((one) => (typeof one === 'string' && one !== '' ? one : undefined))
  const [byDigest, byVersion, byTag] = given
  if (given.every((one) => one === undefined))
    fault('/bundle', 'one of digest, version and tag must be named')
  if (byDigest !== undefined) return `docker://${String(repository)}@${byDigest}`
  const chosen = byVersion === undefined ? byTag : `v${byVersion.replace(/^v/, '').replaceAll('+', '_')}`
  return `docker://${String(repository)}:${chosen ?? ''}`
}

export interface Comparison {
  readonly state: InstallationState['state']
  readonly wantsUninstalled: boolean
  /** What is not as it was when the installation last changed. */
  readonly changed: readonly string[]
  readonly force: boolean
}

/** What has to be done. What was uninstalled once is left alone for good. */
export function decide({
  state,
  wantsUninstalled,
  changed,
  force,
}: Comparison): 'install' | 'upgrade' | 'uninstall' | 'nothing' {
  if (wantsUninstalled) return state === 'installed' ? 'uninstall' : 'nothing'
  if (state === 'defined') return 'install'
  if (state === 'uninstalled') return 'nothing'
  return force || changed.length > 0 ? 'upgrade' : 'nothing'
}
