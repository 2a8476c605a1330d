/** What applications get of a bundle: what an action for bindings wrote, or what the installation has written already. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { BindingAnswer } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'
import { actionOf } from './actions.ts'
import { appliesTo, type Bundle, definitionOf, isInternal, typesOf } from './bundle.ts'
import type { ServiceHints } from './service-hints.ts'
import { textOfValue, typedValue } from './texts.ts'

export type Bindings =
  | { readonly kind: 'action'; readonly bind: string; readonly unbind?: string }
  /** Nothing is run: all bindings share what the installation wrote. */
  | { readonly kind: 'outputs' }
  | { readonly kind: 'none' }

/** How a bundle is bound to. */
export function bindingsOf(bundle: Bundle, { bindings, bindable }: ServiceHints): Bindings {
  if (bindable === false) return { kind: 'none' }
  const bind = firstOf(bundle, [bindings?.action, 'io.chandler.bind', 'bind'])
  const unbind = firstOf(bundle, [bindings?.unbindAction, 'io.chandler.unbind', 'unbind'])
  if (bind !== undefined) return { kind: 'action', bind, ...present({ unbind }) }
  const chosen = bindings?.outputs
  const any = Object.entries(bundle.outputs).some(
    ([name, output]) =>
      (appliesTo(output, 'install') || appliesTo(output, 'upgrade')) &&
      !isInternal(definitionOf(bundle, output)) &&
      (chosen === undefined || chosen.includes(name)),
  )
  return { kind: any ? 'outputs' : 'none' }
}

/** Actions that are there for bindings alone; they are not invoked by hand. */
export function bindingActions(bundle: Bundle, hints: ServiceHints): readonly string[] {
  const bindings = bindingsOf(bundle, hints)
  if (bindings.kind !== 'action') return []
  return bindings.unbind === undefined ? [bindings.bind] : [bindings.bind, bindings.unbind]
}

/** A binding belongs to an installation, so that its action cannot do without one. */
function firstOf(bundle: Bundle, names: readonly (string | undefined)[]): string | undefined {
  return names.find((name) => name !== undefined && actionOf(bundle, name)?.stateless === false)
}

export type Answered =
  | { readonly kind: 'answer'; readonly answer: BindingAnswer }
  | { readonly kind: 'refused'; readonly problem: Problem }

/** The answer that outputs come to, each typed as its definition says. */
export function answerOf(
  bundle: Bundle,
  outputs: Readonly<Record<string, Uint8Array>>,
  { bindings }: ServiceHints,
): Answered {
  const values: [string, Json][] = []
  for (const [name, bytes] of Object.entries(outputs)) {
    const declared = bundle.outputs[name]
    if (declared === undefined || isInternal(definitionOf(bundle, declared))) continue
    if (bindings?.outputs !== undefined && !bindings.outputs.includes(name)) continue
    const value = typedOutput(bundle, name, bytes)
    if (value === undefined) {
      const detail = `${name} is not ${typesOf(definitionOf(bundle, declared)).join(' or ')}`
      return { kind: 'refused', problem: { code: 'cnab.output.type', detail } }
    }
    values.push([name, value])
  }
  return { kind: 'answer', answer: shaped(Object.fromEntries(values), bindings?.credentials) }
}

/** Texts lose one line break, which programs write after them; bytes that are no text stay encoded. */
function typedOutput(bundle: Bundle, name: string, bytes: Uint8Array): Json | undefined {
  const declared = bundle.outputs[name]
  const definition = declared ? definitionOf(bundle, declared) : true
  const types = typesOf(definition)
  const buffer = Buffer.from(bytes)
  const text = buffer.toString()
  if (!Buffer.from(text).equals(buffer)) return buffer.toString('base64')
  if (types.length === 0 || types.includes('string')) return text.replace(/\r?\n$/, '')
  const typed = typedValue(definition, text.trim())
  return typed.kind === 'value' ? typed.value : undefined
}

function shaped(values: JsonObject, templates: JsonObject | undefined): BindingAnswer {
  const {
    credentials,
    syslog_drain_url: syslog,
    route_service_url: route,
    volume_mounts: volumes,
    endpoints,
    ...rest
  } = values
  const whole = isObject(credentials) ? (credentials as JsonObject) : {}
  const others = credentials === undefined || isObject(credentials) ? rest : { ...rest, credentials }
  const given = templates === undefined ? { ...others, ...whole } : filled(templates, values)
  return {
    credentials: given,
    ...(typeof syslog === 'string' ? { syslogDrainUrl: syslog } : {}),
    ...(typeof route === 'string' ? { routeServiceUrl: route } : {}),
    ...(Array.isArray(volumes) ? { volumeMounts: volumes as readonly Json[] } : {}),
    ...(Array.isArray(endpoints) ? { endpoints: endpoints as readonly Json[] } : {}),
  }
}

/** A template that is one reference keeps the type of what it names; what is not there is left out. */
function filled(templates: JsonObject, values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(templates).flatMap(([name, template]): readonly [string, Json][] => {
      if (typeof template !== 'string') return []
      const names = [...template.matchAll(/\$\{outputs\.([^}]+)\}/g)].map(([, output = '']) => output)
      if (!names.every((output) => Object.hasOwn(values, output))) return []
      const [only] = names
      if (only !== undefined && template === `\${outputs.${only}}`) return [[name, values[only] ?? null]]
      const text = template.replace(/\$\{outputs\.([^}]+)\}/g, (_, output: string) =>
        textOfValue(values[output] ?? null),
      )
      return [[name, text]]
    }),
  )
}
