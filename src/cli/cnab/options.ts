/** Options that commands about bundles share. */
import type { Command } from 'commander'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { GivenValue } from '../../local/cnab/given.ts'
import { fail } from '../../model/problem.ts'
import { localDataDir } from '../local.ts'
import { type Form, withOutput } from '../output.ts'
import { parametersOf } from '../parameters.ts'
import { withRegistries } from '../registries-option.ts'

export interface Local {
  readonly dataDir: string
  readonly output: Form
}

export interface RunOptions extends Local {
  readonly param?: readonly string[]
  readonly parameters?: string
  readonly parameterSet?: readonly string[]
  readonly credentialSet?: readonly string[]
  readonly driver: string
  readonly namespace: string
  readonly label?: readonly string[]
  readonly relocationMapping?: string
  readonly image?: readonly string[]
  readonly allowExtension?: readonly string[]
  readonly allowUnpinnedImages?: boolean
  readonly allowDockerHostAccess?: boolean
  readonly dependency?: readonly string[]
  readonly dependencyVersions?: string
  readonly timeout?: number
  /** Where it is not named as an argument. */
  readonly reference?: string
  readonly cnabFile?: string
  readonly force?: boolean
  readonly dryRun?: boolean
  readonly detach?: true
}

export function collect(one: string, all: readonly string[] = []): readonly string[] {
  return [...all, one]
}

export function withLocal(command: Command): Command {
  return withOutput(command).option(
    '--data-dir <path>',
    'where images, keys and installations are kept',
    localDataDir(),
  )
}

export function withNamespace(command: Command): Command {
  return command.option('-n, --namespace <name>', 'of the installation and its sets', '')
}

export function withDriver(command: Command): Command {
  return command.option(
    '-d, --driver <name>',
    'auto, embedded, docker, debug (prints the operation), or a driver of others: cnab-NAME in the PATH, or the path of one',
    'auto',
  )
}

/** What concerns what a bundle may do and where its images are. */
export function withBundleOptions(command: Command): Command {
  return withRegistries(command)
    .option('-m, --relocation-mapping <file>', 'where images are instead of where the bundle says')
    .option(
      '--image <name=reference>',
      'where one image is, for example in a layout; a folder with an image.yml is built first (repeatable)',
      collect,
    )
    .option('--allow-unpinned-images', 'run images that the bundle names without their digests')
    .option(
      '--allow-extension <name>',
      'run the bundle though it requires an extension that is not known (repeatable)',
      collect,
    )
    .option(
      '--allow-docker-host-access',
      'lend the socket of the container engine to bundles that ask for it',
    )
    .option(
      '--dependency <name=reference>',
      'where a dependency is instead of where the bundle says (repeatable)',
      collect,
    )
    .option('--dependency-versions <strategy>', 'exact, max-patch, max-minor or min')
}

/** What concerns a run. */
export function withRunOptions(command: Command): Command {
  const flags = command
    .option(
      '-p, --param <name=value>',
      'a parameter: read as its definition says, `name:=JSON` as JSON, `dependency#name=value` for a dependency (repeatable)',
      collect,
    )
    .option('--parameters <file|json|->', 'parameters as JSON or YAML')
    .option('--parameter-set <name|file>', 'a parameter set; the last one counts (repeatable)', collect)
    .option('-c, --credential-set <name|file>', 'a credential set; the last one counts (repeatable)', collect)
    .option('-r, --reference <reference>', 'the bundle, where it is not named as an argument')
    .option('--cnab-file <file>', 'the bundle.json, where the bundle is not named as an argument')
    .option('--timeout <seconds>', 'stop it after so long', Number)
    .option('--force', 'whatever state the installation is in')
    .option('--dry-run', 'print the operation, secrets masked, and run nothing')
  return withBundleOptions(withDriver(withNamespace(flags)))
}

/** Parameters of the command line. Problems: usage.invalid. */
export async function givenOf(options: RunOptions): Promise<Readonly<Record<string, GivenValue>>> {
  const { parameters, param = [] } = options
  const document = parameters === undefined ? {} : ((await parametersOf({ parameters })) ?? {})
  const written = Object.entries(document).map(([name, value]): readonly [string, GivenValue] => [
    name,
    { value },
  ])
  return Object.fromEntries([...written, ...param.map(typedPair)])
}

function typedPair(text: string): readonly [string, GivenValue] {
  const at = text.indexOf('=')
  if (at < 1) return fail('usage.invalid', `-p ${JSON.stringify(text)} is not name=value`)
  const value = text.slice(at + 1)
  if (text[at - 1] !== ':') return [text.slice(0, at), { typed: value }]
  try {
    return [text.slice(0, at - 1), { value: JSON.parse(value) as Json }]
  } catch (cause) {
    return fail('usage.invalid', `-p ${JSON.stringify(text)}: what follows := is not JSON`, { cause })
  }
}

/** `name=value` options as a map. Problems: usage.invalid. */
export function pairsOf(flag: string, texts: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.lastIndexOf('=')
      if (at < 1) return fail('usage.invalid', `${flag} ${JSON.stringify(text)} is not name=value`)
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}

/** The relocation that was asked for. Problems: file.unreadable, usage.invalid. */
export async function relocationOf({
  relocationMapping,
  image,
  dataDir,
}: Pick<RunOptions, 'relocationMapping' | 'image' | 'dataDir'>): Promise<Readonly<Record<string, string>>> {
  const own = await builtImages(pairsOf('--image', image), dataDir)
  if (relocationMapping === undefined) return own
  const { readDocument } = await import('../../local/cnab/sets.ts')
  const map = readDocument(relocationMapping, 'usage.invalid')
  if (!isObject(map) || !Object.values(map).every((one) => typeof one === 'string'))
    return fail('usage.invalid', `${relocationMapping} is no map of references`)
  return { ...(map as Readonly<Record<string, string>>), ...own }
}

/** Folders with an image.yml are built first. */
async function builtImages(
  images: Readonly<Record<string, string>>,
  dataDir: string,
): Promise<Readonly<Record<string, string>>> {
  const { buildFolder, isImageFolder } = await import('../../authoring/build-folder.ts')
  const places = Object.entries(images).map(
    async ([name, place]): Promise<[string, string]> => [
      name,
      isImageFolder(place) ? await buildFolder({ folder: place, dataDir }) : place,
    ],
  )
  return Object.fromEntries(await Promise.all(places))
}

/** Options of the contract, as a catalog would have them. */
export function contractOptionsOf(options: RunOptions): JsonObject {
  const { allowExtension, allowUnpinnedImages, allowDockerHostAccess, timeout } = options
  return {
    ...present({ allowExtensions: allowExtension }),
    ...(allowUnpinnedImages ? { allowUnpinnedImages: true } : {}),
    ...(allowDockerHostAccess ? { allowDockerHostAccess: true } : {}),
    ...present({ timeoutSeconds: timeout }),
    ...(options.dependency === undefined
      ? {}
      : { dependencies: pairsOf('--dependency', options.dependency) }),
    ...present({ dependencyVersions: options.dependencyVersions }),
  }
}
