/** What goes wrong around bundles: registries and archives that hold them, sets of values, drivers, installations. */
import type { ProblemTable } from './table.ts'

export const cnabToolProblems = {
  'cnab.index.invalid': {
    title: 'The bundle does not lie in the registry as bundles do',
    hint: 'Publish it again, with "chandler cnab publish" or another current tool.',
    status: 422,
    exit: 9,
  },
  'cnab.tag.taken': {
    title: 'There is something under this tag already',
    hint: 'Choose another tag, or replace it with --force.',
    status: 409,
    exit: 5,
  },
  'cnab.installation.busy': {
    title: 'The installation has a run under way',
    hint: 'Wait until it has ended.',
    status: 409,
    exit: 5,
  },
  'cnab.installation.unknown': {
    title: 'There is no installation of this name',
    hint: 'See "chandler cnab list".',
    status: 404,
    exit: 4,
  },
  'cnab.installation.state': {
    title: 'The installation is not in a state for this',
    hint: 'See "chandler cnab show"; --force does it all the same.',
    status: 409,
    exit: 5,
  },
  'cnab.run.unknown': {
    title: 'The installation has no such run',
    hint: 'See "chandler cnab show".',
    status: 404,
    exit: 4,
  },
  'cnab.output.unknown': {
    title: 'The installation has no such output',
    hint: 'See "chandler cnab outputs".',
    status: 404,
    exit: 4,
  },
  'cnab.installation.invalid': {
    title: 'The document of an installation cannot be understood',
    hint: 'It has a name, a bundle with a repository and one of digest, version and tag, and lists of sets.',
    status: 422,
    exit: 9,
  },
  'cnab.set.unknown': {
    title: 'There is no set of this name',
    hint: 'See "chandler cnab credentials list" and "chandler cnab parameters list".',
    status: 404,
    exit: 4,
  },
  'cnab.source.unresolved': {
    title: 'A value could not be had from its source',
    hint: 'Correct the set, or bring what it names.',
    status: 422,
    exit: 9,
  },
  'cnab.driver.failed': {
    title: 'The driver could not be used',
    hint: 'A driver is a program named cnab-NAME in the PATH, or the path of one.',
    status: 502,
    exit: 9,
  },
  'cnab.operation.invalid': {
    title: 'The operation is not one that a driver can carry out',
    hint: 'Drivers read one JSON document on standard input, as the tool that calls them writes it.',
    status: 422,
    exit: 9,
  },
} as const satisfies ProblemTable
