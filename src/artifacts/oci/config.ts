/** The configuration document of an image: what runs, as whom, and the digests of its unpacked layers. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import type { ImageConfig } from '../../model/artifact.ts'
import { fail } from '../../model/problem.ts'
import { isDigest } from '../digest.ts'

/** What an artifact that is no image has in place of a configuration. */
export const emptyConfig: ImageConfig = {
  entrypoint: [],
  command: [],
  environment: [],
  user: '',
  workingFolder: '',
  volumes: [],
  labels: {},
  platform: { os: '', architecture: '' },
}

/** Reads a configuration, tolerating what real images leave out. Problems: image.config-invalid. */
export function readConfig(document: JsonObject, source: string): ImageConfig {
  const config = isObject(document['config']) ? (document['config'] as JsonObject) : {}
  const list = (field: string): readonly string[] => strings(config[field], `/config/${field}`, source)
  // Engines take a text for a list of one.
  const line = (field: string): readonly string[] =>
    typeof config[field] === 'string' ? [config[field]] : list(field)
  return {
    entrypoint: line('Entrypoint'),
    command: line('Cmd'),
    environment: list('Env'),
    user: text(config['User']),
    workingFolder: text(config['WorkingDir']),
    volumes: isObject(config['Volumes']) ? Object.keys(config['Volumes']) : [],
    labels: labelsOf(config['Labels'], source),
    platform: { os: text(document['os']), architecture: text(document['architecture']) },
  }
}

/** The digests of the uncompressed layers, lowest first. Problems: image.config-invalid. */
export function diffIdsOf(document: JsonObject, layers: number, source: string): readonly string[] {
  const rootfs = document['rootfs']
  const ids = isObject(rootfs) ? rootfs['diff_ids'] : undefined
  if (!Array.isArray(ids) || !ids.every(isDigest)) {
    return fail('image.config-invalid', 'rootfs.diff_ids is not a list of digests', { where: { source } })
  }
  if (ids.length !== layers) {
    return fail('image.config-invalid', `${ids.length} diff_ids for ${layers} layers`, { where: { source } })
  }
  return ids
}

function strings(value: unknown, pointer: string, source: string): readonly string[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  return fail('image.config-invalid', 'it is not a list of texts', { where: { source, pointer } })
}

function labelsOf(value: unknown, source: string): Readonly<Record<string, string>> {
  if (value === null || value === undefined) return {}
  if (isObject(value) && Object.values(value).every((item) => typeof item === 'string')) {
    return value as Readonly<Record<string, string>>
  }
  return fail('image.config-invalid', 'it is not a map of texts', {
    where: { source, pointer: '/config/Labels' },
  })
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
