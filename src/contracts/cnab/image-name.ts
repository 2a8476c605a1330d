/** Names of images compared, and made for other places. */
import { md5 } from '../../kit/hash.ts'
import { formatImageName, readImageName } from './images.ts'

/** Whether two spellings mean one image. */
export function sameImage(a: string, b: string): boolean {
  const [one, two] = [readImageName(a), readImageName(b)]
  return one === undefined || two === undefined ? a === b : formatImageName(one) === formatImageName(two)
}

/** Whether two names differ in their registry at most. */
export function sameImageElsewhere(a: string, b: string): boolean {
  const [one, two] = [readImageName(a), readImageName(b)]
  if (one === undefined || two === undefined) return false
  const path = (repository: string) => repository.slice(repository.indexOf('/') + 1)
  const marks = ({ tag = '', digest = '' }: typeof one) => `${tag || (digest ? '' : 'latest')}@${digest}`
  return path(one.repository) === path(two.repository) && marks(one) === marks(two)
}

/** The name an image gets below a prefix: its own one without slashes and a hash of where it came from. */
export function flattenedName(prefix: string, image: string): string | undefined {
  const name = readImageName(image)
  if (name === undefined) return undefined
  const { repository, tag, digest } = name
  // What Docker leaves out is left out; only the hash tells one host from another.
  const short = repository.replace(/^docker\.io\/(?:library\/)?/, '').replaceAll(/[/:]/g, '-')
  const flat = `${prefix}/${short}-${md5(repository)}`
  return `${flat}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`
}
