/** How the packages of the examples are built: the words of commands, as an author would give them. */
import { join, resolve } from 'node:path'

export interface ExamplePackage {
  /** The folder below examples/. */
  readonly folder: string
  /** One command after the other. */
  readonly commands: readonly (readonly string[])[]
}

/** What `npm start` offers and must be built, put into a folder; a brokerpak is run from where it is. */
export function examplePackages(to: string): readonly ExamplePackage[] {
  const { layout, bundle, component } = buildsInto(to)
  const guests = 'examples/guestbook'
  return [
    one('guestbook/tweed', ['tweed', 'build', `${guests}/tweed`, ...layout('guestbook-tweed')]),
    one('guestbook/apb', ['apb', 'build', `${guests}/apb`, ...layout('guestbook-apb')]),
    one('guestbook/cnab', bundle(`${guests}/cnab`, 'chandler.example/guestbook-installer:1.0.0')),
    one(
      'guestbook/toi',
      ['tweed', 'build', `${guests}/toi/guestbook-executor`, ...layout('guestbook-executor')],
      component(`${guests}/toi`),
    ),
    one('tweed/accounts', ['tweed', 'build', 'examples/tweed/accounts', ...layout('accounts')]),
    one('apb/mailroom', ['apb', 'build', 'examples/apb/mailroom', ...layout('mailroom')]),
    one('cnab/lighthouse', bundle('examples/cnab/lighthouse', 'chandler.example/lighthouse-installer:1.0.0')),
    one(
      'toi/harbour',
      ['tweed', 'build', 'examples/toi/harbour/template-executor', ...layout('template-executor')],
      component('examples/toi/harbour'),
    ),
  ]
}

/** The databases of the examples, which need a server and are not among them. */
export function databasePackages(to: string): readonly ExamplePackage[] {
  const { layout, bundle, component } = buildsInto(to)
  const home = 'examples/databases'
  return [
    one('databases/tweed', ['tweed', 'build', `${home}/tweed`, ...layout('databases-tweed')]),
    one('databases/apb', ['apb', 'build', `${home}/apb`, ...layout('databases-apb')]),
    one('databases/cnab', bundle(`${home}/cnab`, 'chandler.example/databases-installer:1.0.0')),
    one(
      'databases/toi',
      ['tweed', 'build', `${home}/toi/databases-executor`, ...layout('databases-executor')],
      component(`${home}/toi`),
    ),
  ]
}

function buildsInto(to: string) {
  const layout = (name: string): readonly string[] => ['--to', `oci:${to}:${name}`]
  const bundle = (folder: string, image: string): readonly string[] => [
    ...['cnab', 'archive', join(folder, 'bundle.json'), '--to', join(to, `${fileOf(folder)}.tgz`)],
    ...['--image', `${image}=${folder}`, '--data-dir', join(to, 'data')],
  ]
  const component = (folder: string): readonly string[] => [
    ...['ocm', 'build', join(folder, 'component-constructor.yaml'), '--overwrite'],
    ...['--to', join(to, fileOf(folder)), `LAYOUT=${resolve(to)}`],
  ]
  return { layout, bundle, component }
}

function one(folder: string, ...commands: readonly (readonly string[])[]): ExamplePackage {
  return { folder, commands }
}

/** `examples/guestbook/cnab` becomes `guestbook-cnab`, `examples/cnab/lighthouse` becomes `lighthouse`. */
function fileOf(folder: string): string {
  const [, theme = '', name = ''] = folder.split('/')
  return ['guestbook', 'databases'].includes(theme) ? `${theme}-${name}` : name
}
