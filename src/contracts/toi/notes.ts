/** What this contract remembers of a package: everything that its runs need, with all references followed. */
import type { Json } from '../../kit/json.ts'
import type { Package } from '../../model/package.ts'
import type { ExecutorEntry, Requests } from './format.ts'
import type { Layers } from './layers.ts'

export interface Notes {
  /** The component, as executors are told. */
  readonly component: string
  readonly version: string
  readonly description?: string
  /** Of the package itself: what becomes of parameters. */
  readonly layers: Layers
  readonly credentials: Requests
  readonly executors: readonly Executor[]
  /** Example files, by what they are examples of. */
  readonly examples: Readonly<Partial<Record<'configFile' | 'credentialsFile', string>>>
  /** The transport archive of the component and all it references, as it is kept. */
  readonly archive: string
  /** Images that are kept. */
  readonly images: readonly string[]
  /** Identifies the component's registry when credentials are looked for. */
  readonly consumer?: Readonly<Record<string, string>>
}

export interface Executor
  extends Pick<ExecutorEntry, 'actions' | 'config' | 'parameterMapping' | 'credentialMapping' | 'outputs'> {
  readonly image: { readonly reference: string; readonly digest: string }
  /** What becomes of its configuration. */
  readonly layers: Layers
  readonly credentials: Requests
  /** What it carries out, as its own document says; absent: anything. */
  readonly offers?: readonly string[]
}

export function notesJson(notes: Notes): Json {
  return notes as unknown as Json
}

export function notesOf({ notes }: Pick<Package, 'notes'>): Notes {
  // Written here and nowhere else.
  return notes as unknown as Notes
}
