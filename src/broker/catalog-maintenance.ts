/** `maintenance_info` of a plan: a semantic version, and nothing that Cloud Foundry refuses. */
import { isObject, pointer } from '../kit/json.ts'
import { bothRefuse, type Finding, readAsAbsent, refused } from './catalog-finding.ts'

/** Semantic Versioning 2.0: three numbers without leading zeros, pre-release parts likewise, then build metadata. */
const semanticVersion =
  /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

const cloudFoundryCharacters = 2000

export function maintenanceFindings(info: unknown, at: string): readonly Finding[] {
  if (info === undefined) return []
  if (!isObject(info)) {
    const by = readAsAbsent(info) ? (['specification'] as const) : bothRefuse
    return [refused(at, 'must be an object', 'Make it an object with a version.', by)]
  }
  const { version, description } = info
  const findings: Finding[] = []
  if (typeof version !== 'string' || !semanticVersion.test(version)) {
    const what = version === undefined ? 'is missing' : `${JSON.stringify(version)} is no semantic version`
    findings.push(refused(pointer(at, 'version'), what, 'Write it like 2.1.0 or 2.1.0+build.'))
  }
  if (description !== undefined && typeof description !== 'string') {
    findings.push(refused(pointer(at, 'description'), 'must be a text', 'Make it a text.'))
  }
  for (const key of Object.keys(info).filter((name) => name !== 'version' && name !== 'description')) {
    const remedy = 'Move it into the metadata of the plan.'
    findings.push(refused(pointer(at, key), 'is not known to Cloud Foundry', remedy, ['cloudfoundry']))
  }
  const characters = JSON.stringify(info).length
  if (characters > cloudFoundryCharacters) {
    const remedy = `Bring it to ${cloudFoundryCharacters} characters.`
    findings.push(refused(at, `has ${characters} characters as JSON`, remedy, ['cloudfoundry']))
  }
  return findings
}
