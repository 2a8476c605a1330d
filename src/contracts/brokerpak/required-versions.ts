/** Versions that templates ask for, against those the pak brings: Terraform refuses what does not fit only when it runs. */
import { placeOf } from '../../languages/place.ts'
import { type Definition, type PakAction, templatesOf } from './definition.ts'
import type { Finding } from './finding.ts'
import { type Argument, type Block, readHcl } from './hcl.ts'
import { defaultEngine, isProvider, type Manifest } from './manifest.ts'
import { fits } from './versions.ts'

interface Need {
  /** The engine, or the name of a provider. */
  readonly of: 'engine' | { readonly provider: string }
  readonly constraint: string
  /** Offset in the template. */
  readonly at: number
}

/** Constraints that nothing in the pak meets, or that cannot be read. */
export function requiredVersionFindings(manifest: Manifest, definition: Definition): readonly Finding[] {
  return [
    ...actionFindings(manifest, definition.provision, 'provision'),
    ...actionFindings(manifest, definition.bind, 'bind'),
  ]
}

function actionFindings(manifest: Manifest, action: PakAction, path: string): readonly Finding[] {
  return Object.entries(templatesOf(action)).flatMap(([template, text]) =>
    needsOf(text).flatMap((need) => {
      const wrong = unmet(manifest, need)
      if (wrong === undefined) return []
      const field = template === 'definition' ? 'template' : `templates.${template}`
      const fix = 'Ask for what the pak brings, or bring what is asked for.'
      const within = { template, ...placeOf(text, need.at) }
      return [{ text: wrong, path: `${path}.${field}`, fix, within }]
    }),
  )
}

function unmet(manifest: Manifest, { of, constraint }: Need): string | undefined {
  const versions = of === 'engine' ? engineVersions(manifest) : providerVersions(manifest, of.provider)
  const what = of === 'engine' ? 'required_version' : `required_providers ${of.provider}`
  // A provider that the pak does not bring is fetched when it runs.
  if (versions.length === 0) return undefined
  const answers = versions.map((version) => fits(version, constraint))
  if (answers.includes(true)) return undefined
  if (answers.includes(false)) return `${what} is "${constraint}", and the pak brings ${versions.join(', ')}`
  return `${what} cannot be read as a constraint: "${constraint}"`
}

function engineVersions(manifest: Manifest): readonly string[] {
  const engine = defaultEngine(manifest)
  return engine === undefined ? [] : [engine.version]
}

function providerVersions({ binaries }: Manifest, name: string): readonly string[] {
  return binaries
    .filter((binary) => isProvider(binary) && binary.name === `terraform-provider-${name}`)
    .map(({ version }) => version)
}

function needsOf(text: string): readonly Need[] {
  const reading = readHcl(text)
  if (reading.kind === 'fault') return []
  return reading.body.blocks
    .filter(({ type }) => type === 'terraform')
    .flatMap(({ body }) => [
      ...body.arguments
        .filter(({ name }) => name === 'required_version')
        .flatMap((one) => engineNeed(text, one)),
      ...body.blocks
        .filter(({ type }) => type === 'required_providers')
        .flatMap((one) => providerNeeds(text, one)),
    ])
}

function engineNeed(text: string, argument: Argument): readonly Need[] {
  const constraint = quoted(text.slice(argument.start, argument.end))
  return constraint === undefined ? [] : [{ of: 'engine', constraint, at: argument.at }]
}

/** `name = { version = "…" }`, or `name = "…"` as older templates say it. */
function providerNeeds(text: string, { body }: Block): readonly Need[] {
  return body.arguments.flatMap(({ name, at, start, end }) => {
    const value = text.slice(start, end).trim()
    const constraint = quoted(value) ?? quoted(/\bversion\s*=\s*("[^"\n]*")/.exec(value)?.[1] ?? '')
    return constraint === undefined ? [] : [{ of: { provider: name }, constraint, at }]
  })
}

function quoted(expression: string): string | undefined {
  return /^"([^"\\$]*)"$/.exec(expression.trim())?.[1]
}
