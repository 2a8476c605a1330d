/** The labels of an image that make it a bundle. */
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import type { Described } from '../contract.ts'

export const specLabel = 'com.redhat.apb.spec'
const runtimeLabel = 'com.redhat.apb.runtime'
const newerRuntimeLabel = 'com.redhat.bundle.runtime'

export type LabelReading =
  | { readonly kind: 'bundle'; readonly text: string; readonly runtime: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly problem: Problem }

/** What the labels of an image say; a bundle without a runtime label is of runtime 1. */
export function readLabels(labels: Readonly<Record<string, string>>): LabelReading {
  const encoded = labels[specLabel] ?? ''
  if (encoded === '') return { kind: 'none' }
  const text = decode(encoded)
  if (text === undefined) return { kind: 'refused', problem: { code: 'apb.label.undecodable' } }
  const runtime = labels[newerRuntimeLabel] || labels[runtimeLabel] || '1'
  if (!/^[-+]?\d{1,9}$/.test(runtime)) {
    return {
      kind: 'refused',
      problem: { code: 'apb.label.runtime', detail: `unable to parse ${JSON.stringify(runtime)}` },
    }
  }
  return { kind: 'bundle', text, runtime: Number(runtime) }
}

/** The labels of a bundle with this spec. */
export function labelsOf(spec: string): Readonly<Record<string, string>> {
  return { [specLabel]: Buffer.from(spec).toString('base64') }
}

/** The label of a spec as authoring tools write it into a Dockerfile: wrapped, so that people can look at the file. */
export function labelInstruction(spec: string): string {
  const lines =
    Buffer.from(spec)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  return `LABEL "${specLabel}"=\\\n"${lines.join('\\\n')}"\n`
}

/** Says of which runtime a bundle is that does not inherit it from its base. */
export const runtimeTwo: Readonly<Record<string, string>> = { [runtimeLabel]: '2' }

/** Some tools leave the line breaks of a Dockerfile in the label. */
function decode(encoded: string): string | undefined {
  const plain = encoded.replace(/\s+/g, '')
  if (plain === '' || plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(plain)) return undefined
  return Buffer.from(plain, 'base64').toString('utf8')
}

/** What an `apb.yml` stands for that lies in a folder; bundles of 2017 and the mock registries name their image in it. */
export function describedBy(text: string): Described {
  const image = /^image:[ \t]*(["']?)([^\s"'#]+)\1[ \t]*(?:#.*)?$/m.exec(text)?.[2]
  return {
    ...present({ image }),
    labels: { [specLabel]: Buffer.from(text).toString('base64'), [runtimeLabel]: '2' },
  }
}
