/** The files of a run: templates, variables, state; values stand where Terraform does not evaluate them. */
import type { Json, JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { Secret } from '../../kit/secret.ts'
import type { FileIn } from '../../model/job.ts'
import { type PakAction, templatesOf } from './definition.ts'
import { namesOf } from './hcl.ts'
import { allowDestroy, modernised } from './hcl-rewrite.ts'
import { stateName } from './state.ts'

export interface WorkspaceOrder {
  readonly action: PakAction
  readonly variables: JsonObject
  /** Values of `TF_VAR_` parameters, for variables that nothing else gives. */
  readonly fallback: (name: string) => Json | undefined
  readonly state: Uint8Array | undefined
  /** Resources may be destroyed whatever their lifecycle says. */
  readonly destroys: boolean
  /** An engine before 0.12: its own syntax and state. */
  readonly old: boolean
  /** The resources that an import found, instead of the `main` of the pak. */
  readonly main?: string | undefined
}

export interface Workspace {
  readonly files: readonly FileIn[]
  /** Those that hold nothing of an instance. */
  readonly templates: readonly FileIn[]
  /** What the templates are given: exactly the variables they declare. */
  readonly configuration: JsonObject
  readonly outputs: readonly string[]
  /** In the module layout resources lie in a module. */
  readonly layout: 'module' | 'flat'
}

export const pluginFolder = '.chandler/plugins'
/** Read before anything is done; empty or cut short it is no JSON, and nothing is done. */
export const variablesFile = 'terraform.tfvars.json'
export const settingsFile = '.chandler/terraform.rc'
const moduleFolder = 'brokertemplate'

/** Lays out an action: one template becomes a module, several become the root itself. */
export function workspaceOf(order: WorkspaceOrder): Workspace {
  const { action } = order
  const texts = mended(order)
  const names = Object.values(texts).map((template) => namesOf(template))
  const variables = [...new Set(names.flatMap((one) => ('fault' in one ? [] : one.variables)))]
  const outputs = [...new Set(names.flatMap((one) => ('fault' in one ? [] : one.outputs)))]
  const configuration = Object.fromEntries(
    variables.map((name) => [name, order.variables[name] ?? order.fallback(name) ?? null]),
  )
  const layout = action.template === '' ? 'flat' : 'module'
  const folder = layout === 'module' ? `${moduleFolder}/` : ''
  const templates = [
    ...Object.entries(texts).map(([name, text]) => plainFile(`${folder}${name}.tf`, text)),
    ...(layout === 'module' ? rootFiles(configuration, outputs, order.old) : []),
    plainFile(settingsFile, 'disable_checkpoint = true\n'),
  ]
  const files = [
    ...templates,
    // A root of the old engines knows no variables: the values stand in it, escaped.
    ...(order.old && layout === 'module' ? [] : [secretFile(variablesFile, JSON.stringify(configuration))]),
    ...(order.state === undefined ? [] : [stateFile(order.state)]),
  ]
  return { files, templates, configuration, outputs, layout }
}

function mended({ action, destroys, old, main }: WorkspaceOrder): Readonly<Record<string, string>> {
  const templates = { ...templatesOf(action), ...present({ main }) }
  return Object.fromEntries(
    Object.entries(templates).map(([name, template]) => {
      const today = old ? template : modernised(template)
      const free = destroys && !old ? allowDestroy(today) : undefined
      return [name, free?.kind === 'text' ? free.text : today]
    }),
  )
}

/** The root of the module layout: it only passes on, so that no value is ever read as an expression. */
function rootFiles(configuration: JsonObject, outputs: readonly string[], old: boolean): readonly FileIn[] {
  const names = Object.keys(configuration)
  const passed = old
    ? (escaped(configuration) as JsonObject)
    : Object.fromEntries(names.map((name) => [name, `\${var.${name}}`]))
  const root = {
    ...(old || names.length === 0 ? {} : { variable: Object.fromEntries(names.map((name) => [name, {}])) }),
    module: { instance: { ...passed, source: `./${moduleFolder}` } },
    ...(old || outputs.length === 0
      ? {}
      : {
          output: Object.fromEntries(
            outputs.map((name) => [name, { value: `\${module.instance.${name}}`, sensitive: true }]),
          ),
        }),
  }
  const text = JSON.stringify(root)
  return [old ? secretFile('instance.tf.json', text) : plainFile('instance.tf.json', text)]
}

/** `${` and `%{` in every text and key, so that they stay text. */
function escaped(value: Json): Json {
  if (typeof value === 'string') return value.replace(/([$%])\{/g, '$1$1{')
  if (Array.isArray(value)) return value.map(escaped)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [String(escaped(key)), escaped(item as Json)]),
  )
}

function stateFile(state: Uint8Array): FileIn {
  return { ...plainFile(stateName, ''), mode: 0o600, content: { kind: 'bytes', bytes: state } }
}

function plainFile(path: string, text: string): FileIn {
  const bytes = new Uint8Array(Buffer.from(text))
  return { path, mode: 0o644, owner: 'user', readOnly: false, content: { kind: 'bytes', bytes } }
}

function secretFile(path: string, text: string): FileIn {
  return {
    path,
    mode: 0o600,
    owner: 'user',
    readOnly: false,
    content: { kind: 'secret', secret: new Secret(text) },
  }
}
