/** What an author of a package probably meant otherwise: told beside a package that is read, with file, line and what to write. */
import { isObject, type JsonObject, pointer } from '../../kit/json.ts'
import { compileSchema } from '../../kit/schema.ts'
import { lintSchema } from '../../kit/schema-lint.ts'
import { nearest } from '../../kit/text.ts'
import type { Problem } from '../../model/problem.ts'
import { type Document, textMax } from './document.ts'
import type { ExecutorEntry, Requests } from './format.ts'
import { lintActions } from './lint-actions.ts'
import { lintTemplate, mappingRules, openRules, plainRules } from './lint-templates.ts'
import { lintConfig, lintExamples } from './lint-values.ts'
import { writeInstead } from './missing.ts'
import { mismatchOf, wantedCredentials } from './requests.ts'
import type { SeenExecutor, SeenPackage, Tell } from './seen.ts'

/** All doubts about a package. Warnings: toi.package.questionable. */
export function lintPackage(seen: SeenPackage): readonly Problem[] {
  if (seen.text.text.length > textMax) return []
  const found: Problem[] = []
  const tell: Tell = (where, detail, hint) =>
    found.push({ code: 'toi.package.questionable', detail, where, hint })
  const { document, text, libraries, executors, isSure } = seen
  if (isSure) lintActions(seen, tell)
  lintScheme(document.scheme, text, tell)
  const isSound = found.every(({ where }) => where?.pointer?.startsWith('/configScheme') !== true)
  lintTemplate(text, '/configTemplate', plainRules, tell)
  for (const library of libraries) lintTemplate(library, '', plainRules, tell)
  lintRequests(document.credentials, text, tell)
  const told = new Set<string>()
  for (const executor of executors) {
    lintEntry(executor, seen, tell)
    const { spec } = executor
    // Several entries may lead to one specification.
    if (spec === undefined || told.has(spec.text.name) || spec.text.text.length > textMax) continue
    told.add(spec.text.name)
    lintScheme(spec.document.scheme, spec.text, tell)
    lintTemplate(spec.text, '/configTemplate', plainRules, tell)
    lintRequests(spec.document.credentials, spec.text, tell)
    for (const library of spec.libraries) lintTemplate(library, '', plainRules, tell)
  }
  const fits = found.every(({ where }) => where?.pointer?.startsWith('/credentials/') !== true)
  if (isSure) lintExamples(seen, { isSound, fits }, tell)
  return found
}

function lintScheme(scheme: JsonObject | undefined, text: Document, tell: Tell): void {
  const reader = { at: '/configScheme', compile: compileSchema }
  for (const { pointer: at, message, hint } of scheme === undefined ? [] : lintSchema(scheme, reader))
    tell(text.where(at), message, hint)
}

function lintRequests(requests: Requests, text: Document, tell: Tell): void {
  for (const [name, { consumerId }] of Object.entries(requests))
    if (consumerId !== undefined && !Object.hasOwn(consumerId, 'type'))
      tell(
        text.where(`${pointer('/credentials', name)}/consumerId`),
        `consumerId of ${name} has no type, so that no credentials of a configuration fit it`,
        'Add "type", the kind of the service: OCIRegistry, HelmChartRepository or one of your own.',
      )
}

function lintEntry({ entry, spec, isImage }: SeenExecutor, seen: SeenPackage, tell: Tell): void {
  const { text, document } = seen
  lintOutputs(entry, text, tell)
  lintTemplate(text, pointer(entry.at, 'config'), plainRules, tell)
  if (spec !== undefined) lintConfig(entry, spec.document, text, tell)
  const mapping = pointer(entry.at, 'parameterMapping')
  const needed = spec?.document.credentials ?? {}
  const isKnown = seen.isSure && (spec !== undefined || isImage === true)
  // Of credentials that do not fit together the names are not known.
  const fits = isKnown && lintMapping(entry, { asked: document.credentials, needed }, text, tell)
  const { wanted } = wantedCredentials(document.credentials, needed, entry.credentialMapping)
  lintTemplate(text, mapping, fits ? mappingRules(wanted) : openRules, tell)
}

function lintOutputs({ at, outputs }: ExecutorEntry, text: Document, tell: Tell): void {
  const names = new Map<string, string>()
  for (const [path, name] of Object.entries(outputs)) {
    const before = names.get(name)
    if (before !== undefined)
      tell(
        text.where(pointer(pointer(at, 'outputs'), path)),
        `the output ${name} comes from ${before}, too, and only one of them is kept`,
        'Give each file an output of its own.',
      )
    names.set(name, before ?? path)
  }
}

interface BothSides {
  readonly asked: Requests
  /** What the executor asks for; empty where nothing says it. */
  readonly needed: Requests
}

/** Whether the credentials of package and executor fit together. */
function lintMapping(
  { at, credentialMapping: mapping = {} }: ExecutorEntry,
  { asked, needed }: BothSides,
  text: Document,
  tell: Tell,
): boolean {
  const own = Object.keys(asked)
  const theirs = Object.keys(needed)
  const odd = new Set<string>()
  for (const [name, as] of Object.entries(mapping)) {
    const where = text.where(pointer(pointer(at, 'credentialMapping'), name))
    if (theirs.length > 0 && !theirs.includes(as)) {
      odd.add(nearest(as, theirs) ?? theirs.find((one) => !Object.values(mapping).includes(one)) ?? '')
      tell(
        where,
        `the executor asks for no credentials ${JSON.stringify(as)}, but for ${theirs.join(', ')}`,
        writeInstead(as, theirs, 'what the executor asks for'),
      )
    } else if (own.length > 0 && !own.includes(name)) {
      odd.add(as)
      tell(
        where,
        `the package asks for no credentials ${JSON.stringify(name)}`,
        writeInstead(name, own, 'a request of the package'),
      )
    }
  }
  for (const [as, request] of Object.entries(needed)) {
    const name = Object.keys(mapping).find((one) => mapping[one] === as) ?? as
    const ours = asked[name]
    // Without a type a consumerId is told already.
    if (odd.has(as) || ours === undefined || isObject(ours.consumerId) !== hasType(ours.consumerId)) continue
    const unlike = mismatchOf(ours, request)
    if (unlike !== undefined)
      tell(
        text.where(`${pointer('/credentials', name)}/${unlike.field}`),
        `the request ${name} does not fit ${as} of the executor: ${unlike.text}`,
        unlike.fix,
      )
    if (unlike !== undefined) odd.add(as)
  }
  return odd.size === 0
}

function hasType(consumerId: Requests[string]['consumerId']): boolean {
  return consumerId !== undefined && Object.hasOwn(consumerId, 'type')
}
