/** The content of a named result, as it was left. */
import type { Output } from '../../model/outcome.ts'
import { fail } from '../../model/problem.ts'
import type { Answer } from './route.ts'

/** The bytes of one of the outputs. Problems: output.unknown. */
export function outputNamed(outputs: readonly Output[], name: string): Answer {
  const output = outputs.find((one) => one.name === name) ?? fail('output.unknown', name)
  if (output.state === 'missing' || output.state === 'too-large')
    fail('output.unknown', `${name} is ${output.state}`)
  const mediaType = output.mediaType ?? 'application/octet-stream'
  return { kind: 'bytes', bytes: output.content, mediaType }
}
