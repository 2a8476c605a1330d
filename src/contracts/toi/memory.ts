/** What an installation keeps between its runs: which version it is of, what it was given, and what it has put out. */
import { canonical, isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Carryover } from '../../model/outcome.ts'

export interface Memory {
  /** `component:version` of the last install or update. */
  readonly version?: string
  readonly parameters?: JsonObject
  readonly outputs: Readonly<Record<string, Uint8Array>>
}

const outputsFolder = 'outputs/'

export function memoryOf(carryover: Carryover): Memory {
  const text = (name: string): string | undefined => {
    const bytes = carryover[name]
    return bytes && new TextDecoder().decode(bytes)
  }
  const version = text('version')
  const parameters: unknown = JSON.parse(text('parameters') ?? 'null')
  return {
    ...present({ version }),
    ...(isObject(parameters) ? { parameters: parameters as JsonObject } : {}),
    outputs: Object.fromEntries(
      Object.entries(carryover).flatMap(([name, bytes]) =>
        name.startsWith(outputsFolder) ? [[name.slice(outputsFolder.length), bytes]] : [],
      ),
    ),
  }
}

export function carryoverOf({ version, parameters, outputs }: Memory): Carryover {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
  return {
    ...(version === undefined ? {} : { version: bytes(version) }),
    ...(parameters === undefined ? {} : { parameters: bytes(canonical(parameters)) }),
    ...Object.fromEntries(Object.entries(outputs).map(([name, content]) => [outputsFolder + name, content])),
  }
}
