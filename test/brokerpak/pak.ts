/** Paks from texts, and situations over them. */
import { brokerpak } from '../../src/contracts/brokerpak/index.ts'
import type { Reading } from '../../src/contracts/contract.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import type { ArchiveArtifact } from '../../src/model/artifact.ts'
import type { FileIn, Job } from '../../src/model/job.ts'
import type { Package } from '../../src/model/package.ts'
import type { Got, Report } from '../../src/model/report.ts'
import type { Situation } from '../../src/model/situation.ts'

export const manifest = `packversion: 1
name: things
version: 1.0.0
platforms: [{os: linux, arch: amd64}]
terraform_binaries:
- {name: tofu, version: 1.6.0, source: https://example.com/tofu.zip}
service_definitions: [thing.yml]
parameters: [{name: API_KEY, description: Key}]
`

export const definition = `version: 1
name: thing
id: 00000000-0000-4000-8000-000000000000
description: A thing.
display_name: Thing
image_url: https://example.com/i.png
documentation_url: https://example.com
support_url: https://example.com
plan_updateable: true
plans:
- {name: small, id: 00000000-0000-4000-8000-000000000001, description: Small., display_name: Small, properties: {size: 1}}
- {name: large, id: 00000000-0000-4000-8000-000000000002, description: Large., display_name: Large, properties: {size: 9}}
provision:
  plan_inputs: [{field_name: size, type: integer, required: true, details: Size}]
  user_inputs:
  - {field_name: name, type: string, details: Name, default: 'n-\${rand.base64(6)}', prohibit_update: true}
  - {field_name: colour, type: string, details: Colour, constraints: {maxLength: 5}}
  template: |
    variable "size" { type = "string" }
    variable "name" { type = "string" }
    variable "colour" { type = "string" }
    output "name" { value = var.name }
  outputs: [{field_name: name, type: string, details: Name}]
bind:
  computed_inputs: [{name: who, default: '\${instance.details["name"]}', overwrite: true}]
  template: |
    variable "who" { type = string }
    output "uri" { value = "thing://\${var.who}" }
    output "name" { value = "bind" }
  outputs: [{field_name: uri, type: string, details: Uri}, {field_name: name, type: string, details: Name}]
examples: []
`

const programs = ['bin/linux/amd64/tofu', 'bin/linux/amd64/1.7.0/tofu', 'bin/linux/amd64/1.8.0/tofu']

/** An archive of these texts, with engines in it. */
export function archive(
  files: Readonly<Record<string, string>>,
  more: readonly string[] = programs,
): ArchiveArtifact {
  const bytes = (path: string) => Buffer.from(files[path] ?? '')
  return {
    kind: 'archive',
    reference: 'things.brokerpak',
    digest: `sha256:${'a'.repeat(64)}`,
    entries: [...Object.keys(files), ...more].map((path) => ({
      path,
      bytes: bytes(path).length,
      mode: 0o644,
    })),
    file: (path) => Promise.resolve(path in files ? new Uint8Array(bytes(path)) : undefined),
  }
}

export function read(files: Readonly<Record<string, string>>, options: JsonObject = {}): Promise<Reading> {
  // A host without Terraform.
  return brokerpak.read(archive(files), { options, hasProgram: () => false })
}

/** The package of our example, with changes to its documents. */
export async function thing(
  change: (text: string) => string = (text) => text,
  options: JsonObject = {},
): Promise<Package> {
  const reading = await read({ 'manifest.yml': change(manifest), 'thing.yml': change(definition) }, options)
  if (reading.kind !== 'package') throw new Error(JSON.stringify(reading))
  return reading.package
}

/** What is known when something is asked of an instance of the small plan. */
export function situation(pkg: Package, more: Partial<Situation> = {}): Situation {
  const service = pkg.services[0]!
  return {
    package: pkg,
    service,
    plan: service.plans[0]!,
    instance: { id: 'i-1', context: {}, parameters: {} },
    parameters: {},
    infrastructure: {},
    carryover: {},
    operation: { id: 'o-1', stage: 0, attempt: 1 },
    platform: 'p',
    now: 1_700_000_000_000,
    random: (count) => new Uint8Array(count).fill(Math.floor(Math.random() * 256)),
    ...more,
  }
}

export function binding(
  more: Partial<NonNullable<Situation['binding']>> = {},
): NonNullable<Situation['binding']> {
  return { id: 'b-1', context: {}, resource: {}, carryover: {}, ...more }
}

/** A state of these outputs with one resource in it. */
export function state(
  outputs: JsonObject,
  engine = '1.6.0',
  resources: readonly JsonObject[] = [{ mode: 'managed' }],
): Uint8Array {
  const values = Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [name, { value, type: 'string' }]),
  )
  return new Uint8Array(
    Buffer.from(
      JSON.stringify({ version: 4, terraform_version: engine, outputs: values, resources: [...resources] }),
    ),
  )
}

/** A report of a run whose last step, or the one that is named, ended so; `printed` is what others were captured with. */
export function report(
  job: Job,
  {
    exit = 0,
    log = '',
    state: left,
    stdout,
    step: named,
    printed = {},
  }: {
    exit?: number
    log?: string
    state?: Uint8Array
    stdout?: string
    step?: string
    printed?: Readonly<Record<string, string>>
  } = {},
): Report {
  const last = job.steps.find(({ name }) => name === named) ?? job.steps.at(-1)!
  const out = (name: string) => (name === last.name ? stdout : undefined) ?? printed[name]
  const got = new Map<string, Got>()
  for (const want of job.wants) {
    const path = 'path' in want ? want.path : ''
    const kept = new Uint8Array(Buffer.from(fileOf(job, path)))
    const bytes = want.name === 'terraform.tfstate' ? left : kept
    if (bytes) got.set(want.name, { kind: 'bytes', bytes })
  }
  return {
    end: { kind: 'finished' },
    steps: job.steps.map((step) => ({
      name: step.name,
      exit: step === last ? exit : 0,
      ...(out(step.name) === undefined ? {} : { stdout: new Uint8Array(Buffer.from(out(step.name) ?? '')) }),
    })),
    got,
    logTail: log,
    startedAt: 0,
    finishedAt: 1,
    notes: [],
  }
}

function textOf(file: FileIn | undefined): string {
  if (file?.content.kind === 'secret') return file.content.secret.reveal()
  return file?.content.kind === 'bytes' ? Buffer.from(file.content.bytes).toString() : ''
}

export function fileOf(job: Job, path: string): string {
  return textOf(job.files.find((file) => file.path === path))
}

/** What is run, by its first words; an init that shares the step of what follows it stands before it. */
export function commandsOf(job: Job): readonly string[] {
  return job.steps.flatMap(({ command }) => {
    if (command.kind !== 'exec') return [command.kind]
    const [shell, , script = '', , ...rest] = command.argv
    const words = shell === 'sh' ? [script.split(' '), rest] : [command.argv]
    return words.map((some) => some.slice(0, 2).join(' '))
  })
}
