/** What a package offers and its makers, as lines for people. */
import type { Package, PackageContent, Signature } from '../api/package.ts'
import { deepEqual, type JsonObject } from '../kit/json.ts'
import { plural } from '../kit/text.ts'
import type { Field } from './output.ts'
import { schemaLines } from './schema-lines.ts'

export function contentFields(content: PackageContent | undefined): readonly Field[] {
  if (content === undefined) return []
  const { services, actions, icon, files, links } = content
  return [
    ['Version', content.version],
    ['Summary', content.summary],
    ['Description', content.description?.trimEnd()],
    ['Authors', content.authors?.join(', ')],
    ['Copyright', content.copyright],
    [
      'Links',
      Object.entries(links ?? {})
        .map(([name, link]) => `${name}: ${link}`)
        .join('\n'),
    ],
    ['Icon', icon && `${icon.mediaType}, ${Buffer.byteLength(icon.base64, 'base64')} bytes`],
    [
      'Services',
      services.map((one) => `${one.name}: ${one.plans.map((plan) => plan.name).join(', ')}`).join('\n'),
    ],
    ['Parameters', parameterLines(content).join('\n')],
    ['Files', files?.map(({ name, summary }) => [name, summary].filter(Boolean).join('  ')).join('\n')],
    ['Actions', actions.map((one) => one.name).join(', ')],
  ]
}

/** How much of an offered package its author should mend. */
export function mendLine({ warnings = [] }: Pick<Package, 'warnings'>): string | undefined {
  return warnings.length === 0 ? undefined : `${plural(warnings.length, 'warning')}: see package show`
}

/** What the registry says about a package, one signature a line. */
export function signatureField(signatures: readonly Signature[] | undefined): Field {
  const lines = (signatures ?? []).map(({ form, signers, by, fault }) =>
    fault === undefined
      ? `${form} by ${signers.join(', ')} (${by})`
      : `${form} by ${by}, not trusted: ${fault}`,
  )
  return ['Signatures', lines.join('\n') || undefined]
}

/** What may be sent at provision: once where all plans take the same. */
function parameterLines({ services }: PackageContent): readonly string[] {
  const schemas = services.flatMap((service) =>
    service.plans.map(({ name, schemas: { create } }) => ({
      name: services.length > 1 ? `${service.name} ${name}` : name,
      lines: create === undefined ? [] : schemaLines(create as JsonObject),
    })),
  )
  const [first, ...others] = schemas
  if (first === undefined) return []
  if (others.every(({ lines }) => deepEqual(lines, first.lines))) return first.lines
  return schemas.flatMap(({ name, lines }) =>
    lines.length === 0 ? [] : [`of ${name}:`, ...lines.map((line) => `  ${line}`)],
  )
}
