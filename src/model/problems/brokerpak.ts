/** What goes wrong with brokerpaks: their manifests and definitions, their variables, their Terraform runs. */
import type { ProblemTable } from './table.ts'

const mend = 'Mend the pak and build it again.'

export const brokerpakProblems = {
  'pak.manifest.missing': {
    title: 'The archive has no manifest.yml',
    hint: 'Build the pak with "chandler pak build", or name another file.',
    status: 422,
    exit: 9,
  },
  'pak.document.unreadable': {
    title: 'A document of the pak is not one YAML map',
    hint: mend,
    status: 422,
    exit: 9,
  },
  'pak.manifest.invalid': { title: 'The manifest is not valid', hint: mend, status: 422, exit: 9 },
  'pak.definition.missing': {
    title: 'A service definition is not in the archive',
    hint: mend,
    status: 422,
    exit: 9,
  },
  'pak.definition.invalid': { title: 'A service definition is not valid', hint: mend, status: 422, exit: 9 },
  'pak.definition.questionable': {
    title: 'A service definition promises what it does not keep',
    hint: 'Mend the definition; until then orders that touch this fail.',
    status: 422,
    exit: 9,
  },
  'pak.platform': {
    title: 'The pak does not run on this platform',
    hint: 'Build it for this platform, too, or set the option "engine: host".',
    status: 422,
    exit: 9,
  },
  'pak.binary.missing': {
    title: 'The pak lacks a program that it needs',
    hint: 'Build the pak with its binaries, or set the option "engine: host".',
    status: 422,
    exit: 9,
  },
  'pak.source.changed': {
    title: 'A program of the pak is not what it was at the first build',
    hint: 'Find out why. If it is right, remove its line from manifest.lock and build again.',
    status: 422,
    exit: 9,
  },
  'pak.options.invalid': {
    title: 'An option of the pak is not valid',
    hint: 'Look the option up in docs/contracts/brokerpak.md.',
    status: 422,
    exit: 9,
  },
  'pak.environment.missing': {
    title: 'A variable that the pak needs is not lent',
    hint: 'Set it among what the operator lends to the package.',
    status: 422,
    exit: 9,
  },
  'pak.plan.incomplete': {
    title: 'The plan does not say what its service demands',
    hint: 'Add a plan with these inputs to the catalog.',
    status: 422,
    exit: 9,
  },
  'pak.parameters.plan-defined': {
    title: 'A parameter is defined by the plan',
    hint: 'Leave it out, or choose another plan.',
    status: 400,
    exit: 9,
  },
  'pak.parameters.unknown': {
    title: 'A parameter is not known to the service',
    hint: 'Leave it out, or correct its name.',
    status: 400,
    exit: 9,
  },
  'pak.parameters.prohibited': {
    title: 'A parameter may not change',
    hint: 'Make a new instance with the other value.',
    status: 400,
    exit: 9,
  },
  'pak.parameters.refused': {
    title: 'The parameters lead to no valid set of variables',
    hint: 'Correct what is named.',
    status: 400,
    exit: 9,
  },
  'pak.import.incomplete': {
    title: 'The import does not name everything that is to be taken over',
    hint: 'Give a value for each of these.',
    status: 400,
    exit: 9,
  },
  'pak.import.destroys': {
    title: 'The import would destroy what it takes over',
    hint: 'Correct the templates and what they delete and map, then try again.',
    status: 422,
    exit: 3,
  },
  'pak.state.newer': {
    title: 'The state was written by a newer engine than the pak has',
    hint: 'Use a pak with at least that engine.',
    status: 422,
    exit: 9,
  },
  'pak.state.unreadable': {
    title: 'The state cannot be read',
    hint: 'Import a good state, or look at the log of the operation that wrote it.',
    status: 422,
    exit: 9,
  },
  'pak.run.failed': {
    title: 'Terraform failed',
    hint: 'Read the log of the operation.',
    status: 502,
    exit: 3,
  },
} as const satisfies ProblemTable
