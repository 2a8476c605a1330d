/** Reads a service definition of a pak with its templates, and what is wrong with it. */
import { nearest } from '../../kit/text.ts'
import type { ArchiveArtifact } from '../../model/artifact.ts'
import type { Problem } from '../../model/problem.ts'
import { decoder } from './decode.ts'
import { type Definition, type PakAction, readDefinition } from './definition.ts'
import { definitionFaults, documentFaults } from './definition-faults.ts'
import { type Document, documentAt, explained, inside, listed, located } from './document.ts'
import { expressionFindings } from './expression-lint.ts'
import type { FieldFault } from './field-faults.ts'
import type { Finding } from './finding.ts'
import { unknownKeys } from './key-lint.ts'
import { definitionFindings } from './lint.ts'
import type { Manifest } from './manifest.ts'
import type { Dialect } from './manifest-faults.ts'
import { plain } from './pack.ts'
import { requiredVersionFindings } from './required-versions.ts'
import { templateFindings } from './template-lint.ts'

export interface ReadDefinition {
  readonly definition?: Definition
  readonly problems: readonly Problem[]
  /** What it promises and does not keep; also held against the versions of a manifest. */
  doubts(versions: Manifest | undefined): readonly Problem[]
}

interface Around {
  readonly artifact: ArchiveArtifact
  readonly manifest: Manifest
  readonly manifestDocument: Document
  readonly dialect: Dialect
}

/** Reads the definition that a manifest names at a place of its list. */
export async function definitionAt(path: string, index: number, around: Around): Promise<ReadDefinition> {
  const { artifact, manifest, manifestDocument, dialect } = around
  const document = await documentAt(artifact, path, 'pak.definition.missing')
  if ('problems' in document) {
    const where = { source: 'manifest.yml', ...manifestDocument.place(`service_definitions[${index}]`) }
    const others = artifact.entries.map((entry) => entry.path)
    const meant = nearest(
      path,
      others.filter((one) => !manifest.definitions.includes(one)),
    )
    const hint = meant === undefined ? {} : { hint: `Write "${meant}".` }
    const problems = document.problems.map((one) =>
      one.code === 'pak.definition.missing' ? { ...one, ...hint, where } : one,
    )
    return { problems, doubts: () => [] }
  }
  const decode = decoder(document.written)
  const read = readDefinition(decode, document.value)
  const provision = await withTemplates(artifact, read.provision, 'provision')
  const bind = await withTemplates(artifact, read.bind, 'bind')
  const definition = { ...read, provision: provision.action, bind: bind.action }
  const own = [...decode.faults.map(typeFault), ...provision.faults, ...bind.faults]
  const fileOf = (field: string): string | undefined => templateFile(read, field)
  const templates = templateFindings(definition)
  const strange = unknownKeys(document.value)
  const doubt = (one: Finding): Problem => located('pak.definition.questionable', one, document, fileOf)
  const faults =
    dialect === 'ours'
      ? [
          ...explained('pak.definition.invalid', [...own, ...documentFaults(definition, dialect)], document),
          ...templates.faults.map((one) => located('pak.definition.invalid', one, document, fileOf)),
        ]
      : faultsIn(
          'pak.definition.invalid',
          [...own, ...definitionFaults(definition, dialect)],
          document,
          dialect,
        )
  // A field that is missing is often there under another name.
  const problems = faults.length > 0 && dialect === 'ours' ? [...faults, ...strange.map(doubt)] : faults
  return {
    ...(problems.length === 0 ? { definition } : {}),
    problems,
    doubts: (versions) =>
      [
        ...strange,
        ...definitionFindings(definition),
        ...imageFindings(definition, artifact),
        ...expressionFindings(definition, manifest),
        ...templates.doubts,
        ...(versions === undefined ? [] : requiredVersionFindings(versions, definition)),
      ].map(doubt),
  }
}

/** A build puts the image into the definition; one that is not there leaves platforms an address that leads nowhere. */
function imageFindings({ imageUrl }: Definition, { entries }: ArchiveArtifact): readonly Finding[] {
  if (!imageUrl.startsWith('file://')) return []
  const file = plain(imageUrl.slice('file://'.length))
  const files = entries.map(({ path }) => path)
  if (files.includes(file)) return []
  const meant = nearest(file, files)
  const fix =
    meant === undefined
      ? 'Add the file to the folder, or write an https address.'
      : `Write "file://${meant}".`
  return [{ text: `there is no file ${file}`, path: 'image_url', fix }]
}

/** The file that a template stands in, where it is not the definition itself. */
function templateFile(read: Definition, field: string): string | undefined {
  const [kind = '', , name = ''] = /^(provision|bind)\.template(s\.(.+))?$/.exec(field)?.slice(1) ?? []
  if (kind !== 'provision' && kind !== 'bind') return undefined
  const { template, templateRef, templates, templateRefs } = read[kind]
  if (name !== '') return Object.hasOwn(templates, name) ? undefined : templateRefs[name]
  return template === '' && templateRef !== '' ? templateRef : undefined
}

/** Each by itself with a fix; for the originals all in one text. */
export function faultsIn(
  code: 'pak.manifest.invalid' | 'pak.definition.invalid',
  faults: readonly FieldFault[],
  document: Document,
  dialect: Dialect,
): readonly Problem[] {
  if (faults.length === 0) return []
  return dialect === 'ours' ? explained(code, faults, document) : [listed(code, faults, document)]
}

/** Packed definitions hold their templates; source folders only refer to them. */
async function withTemplates(
  artifact: ArchiveArtifact,
  action: PakAction,
  path: string,
): Promise<{ readonly action: PakAction; readonly faults: readonly FieldFault[] }> {
  const faults: FieldFault[] = []
  const load = async (ref: string): Promise<string> => {
    const bytes = await inside(artifact, ref)
    if (bytes === undefined) {
      faults.push({ text: 'missing field(s)', path: `${path}.template not loaded from template ref` })
    }
    return Buffer.from(bytes ?? []).toString()
  }
  const template =
    action.template === '' && action.templateRef !== '' ? await load(action.templateRef) : action.template
  const templates = { ...action.templates }
  for (const [name, ref] of Object.entries(action.templateRefs)) templates[name] ??= await load(ref)
  return { action: { ...action, template, templates }, faults }
}

/** What a decoder could not read. */
export function typeFault({
  path,
  message,
}: {
  readonly path: string
  readonly message: string
}): FieldFault {
  return { text: message, path }
}
