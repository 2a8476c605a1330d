/** The image of a job as the cluster pulls it, and what its configuration says. */
import { sha256 } from '../../kit/hash.ts'
import type { ImageConfig } from '../../model/artifact.ts'
import { fail } from '../../model/problem.ts'
import type { Watch } from '../engine.ts'
import { type ImageProgram, withDigest } from '../image-program.ts'
import type { KubernetesContext } from './context.ts'

const configsMax = 1000

export interface ClusterImage {
  /** As a pod names it. */
  readonly name: string
  readonly config: ImageConfig
}

/** Whether the cluster can pull it by itself. */
export function isInRegistry({ reference }: ImageProgram): boolean {
  return reference.startsWith('docker://')
}

/** Problems: those of the artifact store. */
export async function clusterImage(
  context: KubernetesContext,
  program: ImageProgram,
  watch: Watch,
): Promise<ClusterImage> {
  return { name: await pullable(context, program, watch), config: await configOf(context, program) }
}

async function configOf(
  { options, configs }: KubernetesContext,
  program: ImageProgram,
): Promise<ImageConfig> {
  const known = configs.get(program.digest)
  if (known !== undefined) return known
  const { config } = await options.images.open(withDigest(program))
  const [oldest] = configs.keys()
  if (configs.size >= configsMax && oldest !== undefined) configs.delete(oldest)
  configs.set(program.digest, config)
  return config
}

async function pullable(
  { options: { registry, copier } }: KubernetesContext,
  program: ImageProgram,
  watch: Watch,
): Promise<string> {
  const { reference, digest } = program
  if (isInRegistry(program)) {
    const bare = reference.slice('docker://'.length).replace(/@.*$/, '')
    return `${bare.replace(/:[^/:]*$/, '')}@${digest}`
  }
  if (registry === undefined) return fail('engine.refused', whyNoRegistry(program))
  // Its name is that of its content: what is there already is not moved again.
  const repository = `${registry}/${sha256(digest).slice(0, 16)}`
  watch.progress('copying the image to the registry of the cluster')
  await copier.copy({
    from: withDigest(program),
    to: `docker://${repository}:chandler`,
    signal: watch.signal,
    progress: (text) => watch.progress(text),
  })
  return `${repository}@${digest}`
}

export function whyNoRegistry({ reference }: ImageProgram): string {
  return `${reference} lies in no registry, and kubernetes.registry names none that the cluster could pull it from`
}
