/** The images that a bundle names: those that carry out its actions, and those that they install. */
import type { ComponentImage, InvocationImage } from './bundle.ts'
import { given, labelsOf, type Node, nodesOfList, nodesOfMap, sizeOf, textOf } from './fields.ts'
import { warnOfKeys } from './format-keys.ts'
import { readImageName } from './images.ts'
import { isDigest, isGraphic } from './words.ts'

export interface Images {
  readonly invocationImages: readonly InvocationImage[]
  readonly images: Readonly<Record<string, ComponentImage>>
}

/** Reads both lists; null is empty. */
export function readImages(bundle: Node): Images {
  const { faults } = bundle
  const invocationImages = nodesOfList(bundle, 'invocationImages').map((node) => {
    const image = readImage(node)
    if (image === undefined)
      faults.problem(
        'cnab.bundle.invalid',
        node.at,
        'image must be provided',
        'Add "image": "host/repository:tag".',
      )
    return image
  })
  if (invocationImages.length === 0) {
    const detail = 'at least one invocation image must be defined in the bundle'
    const hint = 'Add "invocationImages": [{"imageType": "docker", "image": "…"}].'
    faults.problem('cnab.bundle.invalid', '/invocationImages', detail, hint)
  }
  const images = nodesOfMap(bundle, 'images').flatMap(([name, node]) => {
    const image = readImage(node)
    if (image) return [[name, { ...image, ...given('description', textOf(node, 'description')) }] as const]
    faults.warning('cnab.bundle.questionable', node.at, 'has no image and is left out')
    return []
  })
  return {
    invocationImages: invocationImages.filter((one) => one !== undefined),
    images: Object.fromEntries(images),
  }
}

function readImage(node: Node): InvocationImage | undefined {
  const { faults, at } = node
  warnOfKeys(node, 'image')
  const image = textOf(node, 'image')
  if (image === undefined || image === '') return undefined
  if (!isGraphic(image)) faults.problem('cnab.bundle.invalid', at, 'image is no reference')
  const contentDigest = textOf(node, 'contentDigest') || textOf(node, 'digest') || undefined
  if (contentDigest === undefined && readImageName(image)?.digest === undefined)
    faults.warning('cnab.image.unpinned', at, image)
  else if (contentDigest !== undefined && !isDigest(contentDigest))
    faults.warning('cnab.image.digest', at, `${contentDigest} is no digest`)
  const size = sizeOf(node, 'size')
  const mediaType = textOf(node, 'mediaType')
  return {
    image,
    imageType: textOf(node, 'imageType') || 'oci',
    labels: labelsOf(node, 'labels'),
    ...given('contentDigest', contentDigest),
    ...given('size', size),
    ...given('mediaType', mediaType),
  }
}
