/** The part of the settings that says how registries are reached, for commands without a broker. */
import { failAll } from '../model/problem.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { readFiles } from './files.ts'
import { group } from './kinds.ts'
import type { Layer } from './layer.ts'
import { namedSettings } from './names.ts'
import { readTable } from './read.ts'
import { faultsOfRegistries, registrySettings } from './registry-settings.ts'
import type { Settings } from './settings.ts'

type Registries = Pick<Settings, 'registries'>

const table = group('', { registries: registrySettings })

/**
 * What `CHANDLER_REGISTRIES_*` and the file of `CHANDLER_CONFIG` say. A file that merely lies in the folder does not count: the folder may
 * be a stranger's. Problems: settings.invalid, file.unreadable.
 */
export function loadRegistries(environment: Environment, folder: string): Registries {
  const file = environment['CHANDLER_CONFIG']
  const files = file ? readFiles(file) : { layers: [], problems: [] }
  const given = readEnvironment(namedSettings(table), environment, folder)
  const { value, problems } = readTable(table, [given.layer, ...files.layers.map(onlyRegistries)])
  failAll([...files.problems, ...given.problems, ...problems])
  // The table's reader answers exactly the table's shape when it found no fault.
  const read = value as Registries
  failAll(
    faultsOfRegistries(read.registries).map((detail) => ({ code: 'settings.invalid' as const, detail })),
  )
  return read
}

/** Whatever else a configuration says is for brokers. */
function onlyRegistries(layer: Layer): Layer {
  const { registries } = layer.document
  return {
    origin: layer.origin,
    folder: layer.folder,
    document: registries === undefined ? {} : { registries },
    place: (pointer) => layer.place(pointer),
  }
}
