/** Versions of engines and providers as Terraform and cloud-service-broker read them. */
import {
  compareVersions as compare,
  parseConstraints,
  parseVersion,
  satisfies,
} from '../../kit/semver/hashicorp.ts'

/** Whether a text is a version. */
export function isVersion(text: string): boolean {
  return parseVersion(text) !== undefined
}

/** Order of two versions; what is no version comes first. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  if (left === undefined || right === undefined)
    return Number(left !== undefined) - Number(right !== undefined)
  return compare(left, right)
}

/** Whether a version fits a constraint of a template; undefined where one of them cannot be read. */
export function fits(version: string, constraint: string): boolean | undefined {
  const [parsed, constraints] = [parseVersion(version), parseConstraints(constraint)]
  return parsed && constraints && satisfies(parsed, constraints)
}
