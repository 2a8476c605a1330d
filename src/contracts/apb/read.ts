/** Reads a bundle: the labels of its image, and the spec inside. */
import type { Artifact } from '../../model/artifact.ts'
import type { Problem } from '../../model/problem.ts'
import type { Reading, ReadRequest, Recognition } from '../contract.ts'
import { found, source } from './fields.ts'
import { readSpec } from './format.ts'
import { readLabels, specLabel } from './labels.ts'
import type { Notes } from './notes.ts'
import { faultsOfOptions, optionsOf } from './options.ts'
import { packageOf } from './package.ts'
import type { Spec } from './spec.ts'

export function recogniseApb(artifact: Artifact): Recognition {
  return artifact.kind === 'image' && (artifact.config.labels[specLabel] ?? '') !== '' ? 'certain' : 'no'
}

export function readApb(artifact: Artifact, request: ReadRequest): Promise<Reading> {
  return Promise.resolve(reading(artifact, request))
}

function reading(artifact: Artifact, { options: given, source: listedIn }: ReadRequest): Reading {
  if (artifact.kind !== 'image') return refused([{ code: 'artifact.kind', detail: 'a bundle is an image' }])
  const faults = faultsOfOptions(given)
  if (faults.length > 0) return refused(faults)
  const labels = readLabels(artifact.config.labels)
  if (labels.kind === 'none')
    return refused([{ code: 'artifact.kind', detail: `the image has no label ${specLabel}` }])
  if (labels.kind === 'refused') return refused([labels.problem])
  // A source stands for a registry of the original's configuration, whose name is part of all ids.
  const options = optionsOf(listedIn === undefined ? given : { registry: listedIn, ...given })
  const read = readSpec(labels.text, labels.runtime, { lenient: options.schemas !== 'original' })
  if (read.kind === 'refused') return read
  const notes: Notes = { reference: artifact.reference, runtime: labels.runtime, spec: read.spec }
  return {
    kind: 'package',
    package: packageOf(notes, artifact.digest, options),
    warnings: [...read.warnings, ...warningsOf(read.spec)],
  }
}

/** What the original accepts although it cannot work. */
function warningsOf(spec: Spec): readonly Problem[] {
  const top = { line: 1, column: 1 }
  const plans = new Set(spec.plans.map(({ name }) => name))
  const targets = spec.plans.flatMap(({ name, updatesTo }) =>
    updatesTo
      .filter((target) => !plans.has(target))
      .map((target) => found('apb.spec.plans', `plan ${name} updates to ${target}, which is no plan`, top)),
  )
  const texts = [
    ...(spec.description === '' ? ['the spec has no description; its name is shown'] : []),
    ...(['required', 'optional', 'unsupported'].includes(spec.async)
      ? []
      : [`async is ${JSON.stringify(spec.async)}, not required, optional or unsupported`]),
  ]
  return [
    ...targets,
    ...texts.map((detail): Problem => ({ code: 'apb.spec.ignored', detail, where: { source } })),
  ]
}

function refused(problems: readonly Problem[]): Reading {
  const [first, ...rest] = problems
  return { kind: 'refused', problems: [first ?? { code: 'package.invalid' }, ...rest] }
}
