/** What is run for an action: the executor's image with the action, the component, and its input files. */
import { canonical } from '../../kit/json.ts'
import { Secret } from '../../kit/secret.ts'
import { documentOf, readSpiff } from '../../languages/spiff/index.ts'
import type { FileIn, Job } from '../../model/job.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Prepared } from '../contract.ts'
import { bindingAnswer } from './conclude.ts'
import { memoryOf } from './memory.ts'
import { ocmConfig } from './ocmconfig.ts'
import { limitsOf } from './options.ts'
import { places } from './places.ts'
import { type Plot, plotOf, type Scene, sceneOf } from './plot.ts'

export function prepareToi(action: Action, situation: Situation): Prepared {
  const found = sceneOf(action, situation)
  if (found.kind === 'refused') return found
  if (found.kind === 'scene') {
    const plotted = plotOf(found.scene, situation)
    return plotted.kind === 'refused' ? plotted : { kind: 'job', job: jobOf(found.scene, plotted.plot) }
  }
  // Bindings of packages that know none share what the installation has put out.
  if (action.kind !== 'bind') return { kind: 'nothing-to-run', outcome: { problems: [] } }
  const binding = bindingAnswer(memoryOf(situation.carryover).outputs, situation)
  return { kind: 'nothing-to-run', outcome: { problems: [], binding } }
}

function jobOf({ notes, executor, word, options }: Scene, plot: Plot): Job {
  return {
    program: { kind: 'image', ...executor.image },
    steps: [
      {
        name: word,
        command: { kind: 'entrypoint', arguments: [word, `${notes.component}:${notes.version}`] },
        environment: {},
        streams: { kind: 'merged' },
      },
    ],
    files: filesOf(plot, notes.archive),
    folders: [{ path: places.outputs, mode: 0o700, readOnly: false, content: { kind: 'empty' } }],
    wants: Object.keys(executor.outputs).map((path) => ({
      kind: 'file',
      name: wantName(path),
      path: `${places.outputs}/${path}`,
      bytesMax: options.outputBytes,
    })),
    needs: { cluster: 'none', network: 'default', readOnlyRoot: false },
    limits: limitsOf(options),
  }
}

/** The name of what is wanted back of an output. */
export function wantName(path: string): string {
  return `output ${path}`
}

/** What there is nothing of is not there. Mappings put credentials into parameters, so both are secrets. */
function filesOf({ config, parameters, credentials }: Plot, archive: string): readonly FileIn[] {
  return [
    ...(config.kind === 'document' ? [file(places.config, config.text)] : []),
    ...(parameters.kind === 'document' ? [file(places.parameters, parameters.text)] : []),
    file(places.ocmconfig, yaml(canonical(ocmConfig(credentials)))),
    {
      path: places.ocmrepo,
      mode: 0o600,
      owner: 'user',
      readOnly: false,
      content: { kind: 'artifact', reference: `kept:${archive}`, as: 'transport-archive' },
    },
  ]
}

function file(path: string, text: string): FileIn {
  return {
    path,
    mode: 0o600,
    owner: 'user',
    readOnly: false,
    content: { kind: 'secret', secret: new Secret(text) },
  }
}

/** As readers of YAML 1.1 understand it. */
function yaml(text: string): string {
  const read = readSpiff({ name: 'ocmconfig', text })
  const [document] = read.kind === 'done' ? read.documents : []
  return document === undefined ? text : documentOf(document.cell).yaml()
}
