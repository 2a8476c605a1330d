/** What ocm commands have in common: where versions lie, and templates of constructors. */
import type { Command } from 'commander'
import type { BuildWish } from '../../authoring/ocm/make.ts'
import type { OcmPlace } from '../../authoring/ocm/session.ts'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'
import { type Form, withOutput } from '../output.ts'
import { terminalSignals } from '../package-listener.ts'
import { withRegistries } from '../registries-option.ts'
import { isTerminal, say } from '../terminal.ts'

export interface PlaceOptions {
  readonly config?: string
  readonly lookup?: readonly string[]
  readonly output: Form
}

/** Adds what every ocm command takes. */
export function withPlace(command: Command): Command {
  return withRegistries(withOutput(command))
    .option('--config <file>', 'a configuration of OCM instead of ~/.ocmconfig')
    .option('--lookup <repository>', 'where referenced components may be, too (repeatable)', collect)
}

export function collect(one: string, all: readonly string[] = []): readonly string[] {
  return [...all, one]
}

export function placeOf({ config, lookup }: PlaceOptions): OcmPlace {
  return {
    signal: terminalSignals().signal,
    note: (text) => say(`note: ${text}`),
    ...present({ config, lookup }),
  }
}

/** Progress, for a terminal. */
export function progress(text: string): void {
  if (isTerminal('stderr')) say(text)
}

export const templaters = ['subst', 'spiff', 'go', 'none'] as const
export type Templater = (typeof templaters)[number]

/** Makes a document of a template. Problems: ocm.constructor.invalid. */
export async function templateFor(
  templater: Templater,
): Promise<(text: string, file: string, values: JsonObject) => string> {
  switch (templater) {
    case 'none':
      return (text) => text
    case 'subst':
      return substituted
    case 'go':
      // What its functions do is the standard library of Go: a part of it would process files to something else.
      return fail('usage.invalid', '--templater go: templates of Go are not processed here', {
        hint: 'Write the constructor for subst or spiff, or process it before, as with gomplate.',
      })
    case 'spiff': {
      const process = await spiffTemplate()
      return (text, file, values) => process(text, file, { values })
    }
  }
}

/** Spiff with its control structures, and no way to the host. */
export async function spiffTemplate(): Promise<BuildWish['inputTemplate']> {
  const { processSpiff } = await import('../../languages/spiff/index.ts')
  return (text, name, bindings, libraries = []) => {
    const result = processSpiff({ name, text }, libraries, { bindings, control: true, interpolation: true })
    if (result.kind === 'failed')
      return fail('ocm.constructor.invalid', result.fault.message, { where: { source: name } })
    return result.documents.map((document) => document?.yaml() ?? '').join('---\n')
  }
}

function substituted(text: string, file: string, values: JsonObject): string {
  return text.replace(/\$\{([A-Za-z_][\w.-]*)\}/g, (_, name: string) => {
    const value = name
      .split('.')
      .reduce<unknown>(
        (here, step) => (isObject(here) && Object.hasOwn(here, step) ? here[step] : undefined),
        values,
      )
    if (value === undefined)
      return fail('ocm.constructor.invalid', `there is no value for \${${name}}`, {
        where: { source: file },
        hint: 'Give it as NAME=VALUE, or in a file with --settings.',
      })
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}
