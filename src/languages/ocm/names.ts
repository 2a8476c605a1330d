/** Names and versions of components: which are valid, how versions compare, how they are written as tags. */
import { comparePrereleases, order } from '../../kit/semver/prerelease.ts'

const componentName =
  /^[a-z][-a-z0-9]*(?:[.][a-z][-a-z0-9]*)*[.][a-z]{2,}(?:\/[a-z][-a-z0-9_]*(?:[.][a-z][-a-z0-9_]*)*)+$/
const elementName = /^[a-z0-9](?:[-_+a-z0-9]*[a-z0-9])?$/
const relaxedVersion =
  /^v?(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?(?:\.(0|[1-9]\d*))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/

/** Whether a text is the name of a component: a DNS name and at least one path segment. */
export function isComponentName(text: string): boolean {
  return text.length <= 255 && componentName.test(text)
}

/** Whether a text is the name of a resource, source or reference, or a key of an extra identity. */
export function isElementName(text: string): boolean {
  return text.length >= 2 && text.length <= 255 && elementName.test(text)
}

/** Whether a text is a version: one to three numbers, with `v`, pre-release and build as one likes. */
export function isVersion(text: string): boolean {
  return text.length <= 255 && relaxedVersion.test(text)
}

/** Orders versions as semver does; what is no version comes before all that are. */
export function compareVersions(a: string, b: string): number {
  const left = relaxedVersion.exec(a)
  const right = relaxedVersion.exec(b)
  if (left === null || right === null) return Number(left !== null) - Number(right !== null)
  for (const i of [1, 2, 3]) {
    const compared = order(BigInt(left[i] ?? '0'), BigInt(right[i] ?? '0'))
    if (compared !== 0) return compared
  }
  return comparePrereleases(left[4] ?? '', right[4] ?? '')
}

const buildMark = '.build-'

/** The tag of a version in a registry; undefined for a version that another one would share its tag with. */
export function tagOfVersion(version: string): string | undefined {
  return version.includes(buildMark) ? undefined : version.replace('+', buildMark)
}

/** The version that a tag stands for; undefined for tags that stand for none. */
export function versionOfTag(tag: string): string | undefined {
  if (tag.includes('+')) return undefined
  const at = tag.lastIndexOf(buildMark)
  const version = at < 0 ? tag : `${tag.slice(0, at)}+${tag.slice(at + buildMark.length)}`
  return isVersion(version) ? version : undefined
}
