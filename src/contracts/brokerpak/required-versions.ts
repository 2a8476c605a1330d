/** Versions that templates ask for, against those the pak brings: Terraform refuses what does not fit only when it runs. */
import { type Definition, type PakAction, templatesOf } from './definition.ts'
import { type Argument, type Block, readHcl } from './hcl.ts'
import { defaultEngine, isProvider, type Manifest } from './manifest.ts'
import { fits } from './versions.ts'

interface Need {
  /** The engine, or the name of a provider. */
  readonly of: 'engine' | { readonly provider: string }
  readonly constraint: string
}

/** Sentences about constraints that nothing in the pak meets, or that cannot be read. */
export function requiredVersionWarnings(manifest: Manifest, definition: Definition): readonly string[] {
  return [
    ...actionWarnings(manifest, definition.provision, 'provision'),
    ...actionWarnings(manifest, definition.bind, 'bind'),
  ]
}

function actionWarnings(manifest: Manifest, action: PakAction, path: string): readonly string[] {
  return Object.entries(templatesOf(action)).flatMap(([file, text]) =>
    needsOf(text).flatMap((need) => {
      const wrong = unmet(manifest, need)
      return wrong === undefined ? [] : [`${path}: ${file}: ${wrong}`]
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
  return constraint === undefined ? [] : [{ of: 'engine', constraint }]
}

/** `name = { version = "…" }`, or `name = "…"` as older templates say it. */
function providerNeeds(text: string, { body }: Block): readonly Need[] {
  return body.arguments.flatMap(({ name, start, end }) => {
    const value = text.slice(start, end).trim()
    const constraint = quoted(value) ?? quoted(/\bversion\s*=\s*("[^"\n]*")/.exec(value)?.[1] ?? '')
    return constraint === undefined ? [] : [{ of: { provider: name }, constraint }]
  })
}

function quoted(expression: string): string | undefined {
  return /^"([^"\\$]*)"$/.exec(expression.trim())?.[1]
}
