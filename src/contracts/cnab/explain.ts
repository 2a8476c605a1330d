/** What a person wants to know of a bundle before running it. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { actionsOf } from './actions.ts'
import {
  appliesTo,
  type Bundle,
  defaultOf,
  definitionOf,
  isInternal,
  isSensitive,
  typesOf,
} from './bundle.ts'
import { requirementsOf } from './dependencies.ts'
import { extensionNames, extensionOf } from './extensions.ts'
import { sourcesOf } from './sources.ts'

export interface Explanation {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly parameters: readonly ExplainedParameter[]
  readonly credentials: readonly {
    readonly name: string
    readonly description: string
    readonly required: boolean
    readonly applyTo: string
  }[]
  readonly outputs: readonly {
    readonly name: string
    readonly type: string
    readonly description: string
    readonly applyTo: string
    readonly sensitive: boolean
  }[]
  readonly actions: readonly {
    readonly name: string
    readonly description: string
    readonly modifies: boolean
    readonly stateless: boolean
  }[]
  readonly dependencies: readonly { readonly alias: string; readonly reference: string }[]
  /** Whether it wants the socket of the container engine. */
  readonly wantsEngineSocket: boolean
  /** Tools of the bundle, where its author's tool says so. */
  readonly mixins?: readonly string[]
  readonly porterVersion?: string
  /** What extensions say that are not known here. */
  readonly custom?: JsonObject
}

export interface ExplainedParameter {
  readonly name: string
  readonly type: string
  readonly default: Json
  readonly applyTo: string
  readonly description: string
  readonly required: boolean
  readonly sensitive: boolean
  /** Takes its value from an output. */
  readonly injected: boolean
}

/** Explains a bundle, or what of it concerns one action. */
export function explainBundle(bundle: Bundle, action?: string): Explanation {
  const concerns = (one: { readonly applyTo?: readonly string[] }): boolean =>
    action === undefined || appliesTo(one, action)
  const porter = extensionOf(bundle, extensionNames.porter)
  const { mixins, version } = isObject(porter) ? porter : {}
  const known: readonly string[] = Object.values(extensionNames)
  const custom = Object.entries(bundle.custom).filter(([name]) => !known.includes(name))
  return {
    name: bundle.name,
    description: bundle.description,
    version: bundle.version,
    ...(typeof version === 'string' ? { porterVersion: version } : {}),
    parameters: sorted(bundle.parameters).flatMap(([name, parameter]) => {
      const definition = definitionOf(bundle, parameter)
      if (isInternal(definition) || !concerns(parameter)) return []
      return [
        {
          name,
          type: typeText(definition),
          default: defaultOf(definition)?.value ?? null,
          applyTo: actionText(parameter.applyTo),
          description: parameter.description ?? '',
          required: parameter.required,
          sensitive: isSensitive(definition),
          injected: sourcesOf(bundle, name).length > 0,
        },
      ]
    }),
    credentials: sorted(bundle.credentials).flatMap(([name, credential]) =>
      concerns(credential)
        ? [
            {
              name,
              description: credential.description ?? '',
              required: credential.required,
              applyTo: actionText(credential.applyTo),
            },
          ]
        : [],
    ),
    outputs: sorted(bundle.outputs).flatMap(([name, output]) => {
      const definition = definitionOf(bundle, output)
      if (isInternal(definition) || !concerns(output)) return []
      return [
        {
          name,
          type: typeText(definition),
          description: output.description ?? '',
          applyTo: actionText(output.applyTo),
          sensitive: isSensitive(definition),
        },
      ]
    }),
    actions: actionsOf(bundle)
      .filter(({ name }) => Object.hasOwn(bundle.actions, name))
      .map(({ name, description, title, modifies, stateless }) => ({
        name,
        description: description ?? title ?? '',
        modifies,
        stateless,
      })),
    dependencies: requirementsOf(bundle).list.map(({ alias, bundle: reference }) => ({ alias, reference })),
    wantsEngineSocket: bundle.requiredExtensions.includes(extensionNames.docker),
    ...(isObject(mixins) ? { mixins: Object.keys(mixins).sort() } : {}),
    ...(custom.length === 0 ? {} : { custom: Object.fromEntries(custom) }),
  }
}

function sorted<T>(map: Readonly<Record<string, T>>): readonly (readonly [string, T])[] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
}

function typeText(definition: Parameters<typeof typesOf>[0]): string {
  return typesOf(definition).join(', ') || 'any'
}

function actionText(applyTo: readonly string[] | undefined): string {
  return applyTo === undefined || applyTo.length === 0 ? 'All Actions' : applyTo.join(', ')
}
