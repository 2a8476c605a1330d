/** What goes wrong with TOI packages: their documents, executors, values, credentials and runs. */
import type { ProblemTable } from './table.ts'

export const toiProblems = {
  'toi.package.missing': {
    title: 'The component version has no such package',
    hint: 'Name one of its resources of type toiPackage; see "chandler ocm get".',
    status: 404,
    exit: 4,
  },
  'toi.package.invalid': {
    title: 'The package cannot be understood',
    hint: 'Correct the document that is named and build the component version again.',
    status: 422,
    exit: 9,
  },
  'toi.package.field-renamed': {
    title: 'A field has a name that other tools ignore',
    hint: 'Call it referencePath.',
    status: 422,
    exit: 9,
  },
  'toi.package.questionable': {
    title: 'Something in the package is probably meant otherwise',
    hint: 'Correct the document that is named and build the component version again.',
    status: 422,
    exit: 9,
  },
  'toi.executor.missing': {
    title: 'No executor of the package carries out this action',
    hint: 'Use an action that the package offers; see "chandler toi describe".',
    status: 404,
    exit: 4,
  },
  'toi.executor.invalid': {
    title: 'The executor cannot be used',
    hint: 'Correct the executor, or the entry of the package that names it.',
    status: 422,
    exit: 9,
  },
  'toi.resource.missing': {
    title: 'A resource that the package names is not there',
    hint: 'Name it by its whole identity, with the path of references that leads to its component.',
    status: 422,
    exit: 9,
  },
  'toi.config.invalid': {
    title: 'The configuration of the executor is not valid',
    hint: 'Correct the config of the entry, or the template of the executor.',
    status: 422,
    exit: 9,
  },
  'toi.parameters.invalid': {
    title: 'The parameters are not valid',
    hint: 'Send what the scheme of the package allows.',
    status: 400,
    exit: 9,
  },
  'toi.mapping.failed': {
    title: 'The parameters cannot be mapped to the executor',
    hint: 'Send what the package asks for, and give the credentials that it reads.',
    status: 422,
    exit: 9,
  },
  'toi.credentials.required': {
    title: 'The package asks for credentials',
    hint: 'Give a credentials file, or the credentials in the infrastructure of the catalog entry.',
    status: 422,
    exit: 9,
  },
  'toi.credentials.missing': {
    title: 'Credentials that the package asks for are missing',
    hint: 'Add them to the credentials file, or to the infrastructure of the catalog entry.',
    status: 422,
    exit: 9,
  },
  'toi.credentials.invalid': {
    title: 'The credentials file cannot be understood',
    hint: 'An entry has one of credentials, consumerId and reference.',
    status: 422,
    exit: 9,
  },
  'toi.credentials.mismatch': {
    title: 'The credentials of package and executor do not fit together',
    hint: 'Correct the requests or the credentialMapping of the package.',
    status: 422,
    exit: 9,
  },
  'toi.output.invalid': {
    title: 'An output of the package cannot be collected',
    hint: 'Name a file below the outputs folder, and an output without a path.',
    status: 422,
    exit: 9,
  },
  'toi.options.invalid': {
    title: 'The options for the package are not valid',
    hint: 'Correct the options of the catalog entry or plan.',
    status: 422,
    exit: 9,
  },
  'toi.run.start': {
    title: 'The executor could not be started',
    hint: 'Check that its image can be pulled and has an entrypoint.',
    status: 502,
    exit: 9,
  },
  'toi.run.failed': {
    title: 'The executor failed',
    hint: 'Read its log.',
    status: 502,
    exit: 3,
  },
  'toi.run.timeout': {
    title: 'The executor took longer than it may',
    hint: 'Raise timeoutSeconds in the options, or see in its log what it waits for.',
    status: 504,
    exit: 7,
  },
} as const satisfies ProblemTable
