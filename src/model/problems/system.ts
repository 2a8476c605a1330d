/** What goes wrong inside: store, keys, settings, and the unexpected. */
import type { ProblemTable } from './table.ts'

export const systemProblems = {
  'internal.unexpected': {
    title: 'Something unexpected happened',
    hint: 'Look for the reference in the log of the broker and report it.',
    status: 500,
    exit: 1,
  },
  'store.unavailable': {
    title: 'The store cannot be reached',
    hint: 'Check store.url and whether the database runs.',
    status: 503,
    exit: 8,
  },
  'store.locked': {
    title: 'Another process owns the database file',
    hint: 'Stop the other process, or use PostgreSQL for several.',
    status: 503,
    exit: 8,
  },
  'store.newer': {
    title: 'The database was written by a newer release',
    hint: 'Run that release, or restore a backup made before.',
    status: 500,
    exit: 10,
  },
  'store.older': {
    title: 'The database was written by an earlier release',
    hint: 'Make a backup, then start the broker: it brings the schema forward.',
    status: 500,
    exit: 10,
  },
  'store.fenced': {
    title: 'Another process has taken over',
    hint: 'Nothing: the other process goes on with the work.',
    status: 503,
    exit: 1,
  },
  'key.missing': {
    title: 'No key opens what was sealed',
    hint: 'Put the key back into the key ring.',
    status: 500,
    exit: 10,
  },
  'key.wrong': {
    title: 'The key ring does not belong to this database',
    hint: 'Give the key ring that the database was sealed with.',
    status: 500,
    exit: 10,
  },
  'settings.invalid': {
    title: 'The configuration has faults',
    hint: 'Mend the named places.',
    status: 500,
    exit: 10,
  },
  'usage.invalid': { title: 'The command was used wrongly', hint: 'See --help.', status: 400, exit: 2 },
  'cli.config-invalid': {
    title: 'The configuration of the command line is wrong',
    hint: 'Mend the file or the variable, or run chandler login again.',
    status: 400,
    exit: 10,
  },
  'cli.no-server': {
    title: 'No broker or account is chosen',
    hint: 'Run chandler login URL, or set CHANDLER_SERVER, CHANDLER_USER and CHANDLER_PASSWORD_FILE.',
    status: 400,
    exit: 10,
  },
  'cli.ambiguous': {
    title: 'More than one thing has this name',
    hint: 'Use its id, or more of it.',
    status: 400,
    exit: 5,
  },
  'audit.broken': {
    title: 'The audit trail is broken',
    hint: 'Somebody changed the database: compare it with a backup or with what was exported.',
    status: 500,
    exit: 1,
  },
  'server.unreachable': {
    title: 'The broker cannot be reached',
    hint: 'Check the URL and whether the broker runs.',
    status: 502,
    exit: 8,
  },
  'wait.gave-up': {
    title: 'Gave up waiting; the operation goes on',
    hint: 'Wait again with: chandler instance wait.',
    status: 504,
    exit: 7,
  },
  'file.unreadable': {
    title: 'A file cannot be read',
    hint: 'Check the path and its permissions.',
    status: 500,
    exit: 9,
  },
  'file.unwritable': {
    title: 'A file cannot be written',
    hint: 'Check the path, its permissions and the free space.',
    status: 500,
    exit: 1,
  },
  'package.unknown': { title: 'There is no such package', hint: 'List the packages.', status: 404, exit: 4 },
  'package.invalid': {
    title: 'The package has faults',
    hint: 'Mend the named places of the package.',
    status: 422,
    exit: 9,
  },
  'package.unrecognised': {
    title: 'No contract recognises this package',
    hint: 'Name the contract, or check the reference.',
    status: 422,
    exit: 9,
  },
  'reference.invalid': {
    title: 'The package reference is not valid',
    hint: 'Use docker://, oci:, oci-archive:, docker-archive:, a path, a URL, ocm: or sim:.',
    status: 400,
    exit: 9,
  },
} as const satisfies ProblemTable
