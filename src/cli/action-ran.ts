/** What an action came to, for people and programs. */

import { present } from '../kit/present.ts'
import { printable } from '../kit/text.ts'
import type { ActionRan } from '../local/ran.ts'
import { printHandedOut } from './handed-out.ts'
import { type Form, printDocument } from './output.ts'
import { print, say } from './terminal.ts'

/** Prints what it handed out, and how it ended. */
export async function printRan(form: Form, action: string, ran: ActionRan): Promise<void> {
  const { message, binding, outputs, problems } = ran
  if (form === 'json' || form === 'yaml') {
    await printDocument(form, 'ActionRun', {
      action,
      succeeded: problems.length === 0,
      ...present({ message, binding }),
      outputs: outputs.map((one) => {
        const { content: _, state, ...rest } = one
        const text = textOf(one)
        return { ...rest, state: state ?? 'present', ...present({ text }) }
      }),
    })
    return
  }
  if (binding !== undefined) print(JSON.stringify(binding.credentials ?? binding, null, 2))
  printHandedOut(outputs, { name: 'OUTPUT', told: 'CONTENT' }, (one) => firstLine(textOf(one) ?? ''))
  if (problems.length === 0) say(message ?? `${action} succeeded`)
}

const shownBytesMax = 64 * 1024
const lineMax = 60

/** What can be shown of an output: text that is no secret and not long. */
function textOf({ content, secret }: ActionRan['outputs'][number]): string | undefined {
  if (secret || content.length > shownBytesMax) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}

function firstLine(text: string): string {
  const line = printable(text.split('\n')[0] ?? '')
  return line.length > lineMax ? `${line.slice(0, lineMax)}…` : line
}
