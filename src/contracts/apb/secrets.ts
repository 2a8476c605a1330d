/** Secrets that an operator lends to a bundle, named `SECRET/KEY`: mounted as Kubernetes does, and given as parameters. */
import type { JsonObject } from '../../kit/json.ts'
import { Secret } from '../../kit/secret.ts'
import type { FileIn } from '../../model/job.ts'

const mounts = '/etc/apb-secrets'
/** Kubernetes swaps a dated folder below a link; images read through that link. */
const version = '..2000_01_01_00_00_00.000000000'

type MountedPrograms = Readonly<Record<string, string | Secret>>

/** The files of the lent secrets, in the layout of a mounted secret. */
export function secretFiles(lent: MountedPrograms): readonly FileIn[] {
  const entries = Object.entries(lent).flatMap(([name, value]) => {
    const [secret = '', key = ''] = name.split('/')
    return key === '' ? [] : [{ folder: `${mounts}/apb-${secret}`, key, value }]
  })
  const folders = [...new Set(entries.map(({ folder }) => folder))]
  const link = (path: string, target: string): FileIn => ({
    path,
    mode: 0o777,
    owner: 'root',
    readOnly: false,
    content: { kind: 'link', target },
  })
  return [
    ...entries.map(({ folder, key, value }) => secretFile(`${folder}/${version}/${key}`, value)),
    ...folders.map((folder) => link(`${folder}/..data`, version)),
    ...entries.map(({ folder, key }) => link(`${folder}/${key}`, `..data/${key}`)),
  ]
}

function secretFile(path: string, value: string | Secret): FileIn {
  const content =
    value instanceof Secret
      ? ({ kind: 'secret', secret: value } as const)
      : ({ kind: 'bytes', bytes: new TextEncoder().encode(value) } as const)
  return { path, mode: 0o444, owner: 'root', readOnly: true, content }
}

/** The lent values by key: base images of the last generation do not read the mounted files. */
export function secretParameters(lent: MountedPrograms): JsonObject {
  return Object.fromEntries(
    Object.entries(lent).flatMap(([name, value]) => {
      const key = name.split('/')[1] ?? ''
      return key === '' ? [] : [[key, value instanceof Secret ? value.reveal() : value]]
    }),
  )
}
