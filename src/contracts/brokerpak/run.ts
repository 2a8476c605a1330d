/** A job for Terraform: programs from the pak or the host, a workspace, and an environment that holds nothing else. */
import type { Json, JsonObject } from '../../kit/json.ts'
import { Secret } from '../../kit/secret.ts'
import { type FileIn, type Job, type Step, type Tool, usualLimits } from '../../model/job.ts'
import type { Problem } from '../../model/problem.ts'
import type { Circumstances } from './circumstances.ts'
import { type PakAction, templatesOf } from './definition.ts'
import { declaredNames, lent } from './functions.ts'
import { fetchesModules } from './hcl.ts'
import { defaultEngine } from './manifest.ts'
import type { Kept } from './resolver.ts'
import { isOfBuiltIns, keptName, mainName, readState, stateName } from './state.ts'
import { type Commands, initStep } from './steps.ts'
import { compareVersions } from './versions.ts'
import { pluginFolder, settingsFile, variablesFile, type Workspace, workspaceOf } from './workspace.ts'

export interface RunOrder {
  readonly action: PakAction
  readonly variables: JsonObject
  readonly kept: { readonly [name: string]: Kept }
  readonly state: Uint8Array | undefined
  readonly destroys: boolean
  /** The engine's version; absent: the default one. */
  readonly version?: string
  /** The resources an import has found. */
  readonly main?: string | undefined
  steps(commands: Commands, workspace: Workspace): readonly [Step, ...Step[]]
}

const stateBytesMax = 64 * 1024 * 1024
const memoryPath = '.chandler/generated.json'

/** Problems: pak.binary.missing. */
export function runOf(around: Circumstances, order: RunOrder): Job | Problem {
  const program = programOf(around, order.version)
  if ('code' in program) return program
  const main = order.main ?? importedMain(around, order.action)
  const workspace = workspaceOf({
    action: order.action,
    variables: order.variables,
    fallback: (name) => lent(around.situation, around.options, `TF_VAR_${name}`) as Json | undefined,
    state: order.state,
    destroys: order.destroys,
    old: program.old,
    main,
  })
  const { name, old, tools } = program
  const commands = { program: name, old, environment: environmentOf(around), ready: false }
  const place: Place = {
    program: { kind: 'tools', tools },
    folders: [{ path: pluginFolder, mode: 0o755, readOnly: false, content: { kind: 'empty' } }],
    needs: { cluster: 'none', network: 'default', readOnlyRoot: false },
    limits,
  }
  const providers = providerFiles(around)
  return {
    ...place,
    steps: order.steps(commands, workspace),
    files: [...workspace.files, memoryFile(order, workspace), ...providers],
    wants: [
      { kind: 'kept-file', name: stateName, path: stateName, bytesMax: stateBytesMax },
      { kind: 'kept-file', name: keptName, path: memoryPath, bytesMax: stateBytesMax },
    ],
    ...(old || main !== undefined || providers.length > 0 || !startsAlike(order.state, workspace)
      ? {}
      : {
          beforehand: {
            job: {
              ...place,
              steps: [initStep(commands)],
              files: workspace.templates,
              wants: initWants,
            },
            steps: order.steps({ ...commands, ready: true }, workspace),
            // A state is read before the variables are.
            ...(order.state === undefined
              ? { late: { files: [variablesFile, memoryPath], door: variablesFile } }
              : {}),
          },
        }),
  }
}

type Place = Pick<Job, 'program' | 'folders' | 'needs' | 'limits'>

/** A provider of a large cloud takes some hundred megabytes, and there may be several. */
const limits: Job['limits'] = { ...usualLimits, cpus: 2, memoryBytes: 2 * 1024 ** 3 }

/** What init leaves. */
const initWants: Job['wants'] = [
  { kind: 'tar', name: 'data', path: '.terraform', bytesMax: 1024 * 1024 },
  { kind: 'file', name: 'lock', path: '.terraform.lock.hcl', bytesMax: 1024 * 1024 },
]

/** Whether init would leave the same for any other instance: it also looks for the providers of a state, and fetches. */
function startsAlike(state: Uint8Array | undefined, { templates }: Workspace): boolean {
  const texts = templates.map(({ path, content }) =>
    path.endsWith('.tf') && content.kind === 'bytes' ? Buffer.from(content.bytes).toString() : '',
  )
  return (
    texts.every((text) => !fetchesModules(text)) && (state === undefined || isOfBuiltIns(readState(state)))
  )
}

interface ProgramChoice {
  readonly name: string
  readonly old: boolean
  readonly tools: readonly Tool[]
}

function programOf({ notes, options }: Circumstances, version: string | undefined): ProgramChoice | Problem {
  const { installation, manifest, digest } = notes
  const extras = installation.extras.map(
    ({ name, entry }): Tool => ({ name, from: { kind: 'archive', digest, entry } }),
  )
  if (options.engine === 'host') {
    const name = options.hostProgram ?? notes.hostProgram ?? 'terraform'
    return { name, old: false, tools: [{ name, from: { kind: 'host' } }, ...extras] }
  }
  const wanted = version ?? defaultEngine(manifest)?.version
  const engine = installation.engines.find((one) => one.version === wanted)
  if (engine === undefined) {
    const detail = installation.faults[0] ?? `could not find an engine ${wanted ?? ''} in the pak`
    return { code: 'pak.binary.missing', detail }
  }
  const { name, entry } = engine
  const old = compareVersions(engine.version, '0.12') < 0
  return { name, old, tools: [{ name, from: { kind: 'archive', digest, entry } }, ...extras] }
}

const collectingLate = { GOGC: 'off', GOMEMLIMIT: '256MiB' }
const collectingSeldom = { GOGC: '400', GOMEMLIMIT: '512MiB' }

/** Only what the manifest declares and the operator lends; nothing of the broker's own environment. */
function environmentOf({
  situation,
  notes,
  options,
}: Circumstances): Readonly<Record<string, string | Secret>> {
  const { installation } = notes
  const google = notes.origin === 'v1' ? ['GOOGLE_CREDENTIALS', 'GOOGLE_PROJECT'] : []
  const names = [...declaredNames(notes.manifest), ...google, ...Object.keys(options.environment)]
  const lendable = names.flatMap((name) => {
    const value = situation.infrastructure[name] ?? options.environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    // A quarter of a short run would be the collecting of garbage that its end throws away. Providers are more programs.
    ...(installation.providers.length === 0 ? collectingLate : collectingSeldom),
    ...options.environment,
    ...Object.fromEntries(lendable),
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    CHECKPOINT_DISABLE: '1',
    TF_CLI_CONFIG_FILE: settingsFile,
  }
}

function providerFiles({ notes, options }: Circumstances): readonly FileIn[] {
  const { installation, digest } = notes
  // Providers of the pak serve the host's engine, too.
  const list = installation.providers
  return options.engine === 'host' && list.length === 0
    ? []
    : list.map(({ path, entry }) => ({
        path: `${pluginFolder}/${path}`,
        mode: 0o755,
        owner: 'root',
        readOnly: false,
        content: { kind: 'entry', digest, entry },
      }))
}

function memoryFile({ kept }: RunOrder, { configuration }: Workspace): FileIn {
  const secret = new Secret(JSON.stringify({ kept, configuration }))
  return {
    path: memoryPath,
    mode: 0o600,
    owner: 'user',
    readOnly: false,
    content: { kind: 'secret', secret },
  }
}

function importedMain({ situation }: Circumstances, action: PakAction): string | undefined {
  const bytes = situation.carryover[mainName]
  const isInstance = situation.binding === undefined && 'main' in templatesOf(action)
  return bytes === undefined || !isInstance ? undefined : Buffer.from(bytes).toString()
}
