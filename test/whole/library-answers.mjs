// What the packed libraries answer to the corpora: the same on every platform. Plain JavaScript, for browsers and any Node.
import { brokerFunctions, castTo, evaluateText, jsonScope } from 'chandler/hil'
import { processSpiff } from 'chandler/spiff'

/** One text for each row, ready to be compared. */
export function answersTo({ spiff, hil, casts }) {
  return [...spiff.map(answerOfSpiff), ...hil.map(answerOfHil), ...casts.map(answerOfCast)]
}

function answerOfSpiff({ template = '', stubs = [], features = [], bindings = {}, ...options }) {
  const result = processSpiff(
    { name: 'template', text: template },
    stubs.map((text, i) => ({ name: `stub${i + 1}`, text })),
    {
      interpolation: features.includes('interpolation'),
      control: features.includes('control'),
      bindings,
      partial: options.partial ?? false,
      ports: { random: (count) => new Uint8Array(count), now: () => 0 },
      limits: { millisecondsMax: 600_000 },
    },
  )
  if (result.kind === 'failed') return result.fault.message
  return result.documents.map((document) => document?.yaml()).join('---\n')
}

function answerOfHil({ input, vars = {} }) {
  const functions = brokerFunctions({
    random: (count) => new Uint8Array(count).fill(255),
    nextCount: () => 1n,
  })
  const result = evaluateText(input, jsonScope(vars, functions), { millisecondsMax: 600_000 })
  if (result.kind === 'fault') return result.fault.message
  return result.kind === 'value' ? JSON.stringify(result.value) : result.kind
}

function answerOfCast({ value, type }) {
  try {
    return exactly(castTo(value, type, 'csb'))
  } catch (fault) {
    return fault.message
  }
}

/** JSON with every digit, also where the platform has no raw JSON. */
function exactly(value) {
  if (Array.isArray(value)) return `[${value.map(exactly).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (typeof value.rawJSON === 'string') return value.rawJSON
  return `{${Object.entries(value)
    .map(([key, item]) => `${key}:${exactly(item)}`)
    .join(',')}}`
}
