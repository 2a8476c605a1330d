/** Looks a bundle over, in its folder or as an image: what keeps it out of a catalog, and what users will trip over. */
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  labelInstruction,
  lintSpec,
  readLabels,
  type SpecLint,
  specLabel,
} from '../../contracts/apb/index.ts'
import { openWorkshop } from '../../host/workshop.ts'
import { fail, type Problem } from '../../model/problem.ts'
import { isImageFolder } from '../build-folder.ts'
import { isBundleFolder, specOfFolder } from './build.ts'
import { type Dockerfile, readDockerfile, withLabel } from './dockerfile.ts'
import type { BundleWish } from './tools.ts'

export interface LintWish extends BundleWish {
  /** The name that the broker gives to the registry: the first part of the service's name. */
  readonly registry: string
}

/** Says everything at once. Problems: file.unreadable, artifact.*, registry.*. */
export async function lintBundle(wish: LintWish): Promise<SpecLint> {
  const { reference, registry } = wish
  if (isBundleFolder(reference)) return lintFolder(reference, registry)
  if (existsSync(reference) && lstatSync(reference).isFile()) {
    return placed(lintSpec(readFileSync(reference, 'utf8'), { registry, runtime: 2 }), reference)
  }
  return lintImage(wish)
}

function lintFolder(folder: string, registry: string): SpecLint {
  const spec = specOfFolder(folder)
  const lint = placed(lintSpec(spec, { registry, runtime: 2 }), join(folder, 'apb.yml'))
  const around = faultsOfFolder(folder, spec)
  return {
    ...lint,
    problems: [...lint.problems, ...around.problems],
    warnings: [...lint.warnings, ...around.warnings],
  }
}

async function lintImage({ reference, registry, dataDir }: LintWish): Promise<SpecLint> {
  const workshop = await openWorkshop(dataDir, 'none')
  try {
    const artifact = await workshop.artifacts.open(reference, new AbortController().signal)
    if ('close' in artifact) await artifact.close()
    if (artifact.kind !== 'image')
      return refused({ code: 'artifact.kind', detail: 'a bundle is an image' }, reference)
    const labels = readLabels(artifact.config.labels)
    switch (labels.kind) {
      case 'none':
        return refused({ code: 'artifact.kind', detail: `the image has no label ${specLabel}` }, reference)
      case 'refused':
        return refused(labels.problem, reference)
      case 'bundle':
        return placed(lintSpec(labels.text, { registry, runtime: labels.runtime }), `${reference} apb.yml`)
    }
  } finally {
    await workshop.close()
  }
}

function refused(problem: Problem, source: string): SpecLint {
  return { problems: [{ ...problem, where: { source } }], warnings: [] }
}

function placed(lint: SpecLint, source: string): SpecLint {
  const at = (problem: Problem): Problem => ({ ...problem, where: { ...problem.where, source } })
  return { ...lint, problems: lint.problems.map(at), warnings: lint.warnings.map(at) }
}

interface Faults {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

function faultsOfFolder(folder: string, spec: string): Faults {
  if (isImageFolder(folder)) return { problems: [], warnings: [] }
  const source = join(folder, 'Dockerfile')
  if (!existsSync(source)) {
    return {
      problems: [
        { code: 'apb.folder', detail: 'neither image.yml nor Dockerfile', where: { source: folder } },
      ],
      warnings: [],
    }
  }
  const text = readFileSync(source, 'utf8')
  const reading = readDockerfile(text)
  // What needs an engine to be built is a bundle all the same.
  const own = reading.kind === 'refused' ? reading.problems : faultsOfActions(folder, reading.dockerfile)
  const warnings = own.map((problem) => ({
    ...problem,
    where: {
      ...problem.where,
      source: problem.where?.source === 'Dockerfile' ? source : (problem.where?.source ?? folder),
    },
  }))
  return { problems: [], warnings: [...warnings, ...faultsOfLabel(text, spec, source)] }
}

/** The label counts, not the file beside it. */
function faultsOfLabel(text: string, spec: string, source: string): readonly Problem[] {
  const hint = 'Run chandler apb prepare.'
  const line = text.split('\n').findIndex((one) => one.includes(specLabel)) + 1
  if (line === 0) {
    return [
      {
        code: 'apb.folder',
        detail: 'there is no label yet: other tools would build no bundle',
        hint,
        where: { source },
      },
    ]
  }
  const reading = readDockerfile(text.replaceAll(/^\s*(?:RUN|ADD|ARG|VOLUME)\b.*$/gim, ''))
  const label = reading.kind === 'dockerfile' ? reading.dockerfile.labels[specLabel] : undefined
  return label?.replace(/\s/g, '') === Buffer.from(spec).toString('base64')
    ? []
    : [{ code: 'apb.folder', detail: 'the label is not that of apb.yml', hint, where: { source, line } }]
}

const actionsFolder = '/opt/apb/actions'

/** Base images look for a playbook of the action's name, and end with 8 where there is none. */
function faultsOfActions(folder: string, { copies }: Dockerfile): readonly Problem[] {
  const copy = copies.find(({ to }) => to.replace(/\/+$/, '') === actionsFolder)
  const from = copy?.from[0]
  if (copy === undefined || from === undefined) {
    return [
      { code: 'apb.folder', detail: `nothing is copied to ${actionsFolder}, where playbooks are looked for` },
    ]
  }
  const where = { source: 'Dockerfile', line: copy.line }
  if (!existsSync(join(folder, from))) {
    return [{ code: 'apb.folder', detail: `${from} is copied and is not there`, where }]
  }
  const has = (action: string) =>
    [`${action}.yml`, `${action}.yaml`].some((name) => existsSync(join(folder, from, name)))
  return ['provision', 'deprovision']
    .filter((action) => !has(action))
    .map((action) => ({
      code: 'apb.folder',
      detail: `there is no playbook ${action}.yml: ${action} will fail`,
      where: { source: join(folder, basename(from)) },
    }))
}

/** Writes the label of the spec into the Dockerfile. Problems: those of the spec, file.unreadable, file.unwritable. */
export function prepareBundle(folder: string): { readonly file: string; readonly changed: boolean } {
  const file = join(folder, 'Dockerfile')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : fail('file.unreadable', file)
  const prepared = withLabel(text, specLabel, labelInstruction(specOfFolder(folder)))
  if (prepared !== text) writeFileSync(file, prepared)
  return { file, changed: prepared !== text }
}
