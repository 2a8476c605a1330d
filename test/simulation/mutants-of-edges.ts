/** Broken versions of what callers meet: the door, the answers to platforms, what is told of secrets; found by the test that is named. */
import { broken, brokenFor, type Mutant } from './mutant.ts'

export const mutantsOfEdges: readonly Mutant[] = [
  brokenFor(
    'src/http/admit.test.ts',
    broken('polls and deletes take places of other requests', 'http/admit.ts', [
      'const refused = needsNoPlace(request) ? undefined : takePlace(caller, arrived, limits)',
      'const refused = takePlace(caller, arrived, limits)',
    ]),
  ),
  brokenFor(
    'src/http/admit.test.ts',
    broken('one account takes all places', 'http/admit.ts', [
      'if (!perAccount.take(account, concurrentPerAccount))',
      'if (!perAccount.take(account, concurrentRequests))',
    ]),
  ),
  brokenFor(
    'src/http/admit.test.ts',
    broken('followers of logs take places of other requests', 'http/admit.ts', [
      "return method === 'GET' && headers.accept?.includes('text/event-stream') === true",
      "return method === 'HEAD' && headers.accept?.includes('text/event-stream') === true",
    ]),
  ),
  brokenFor(
    'src/http/admit.test.ts',
    broken('a guess is judged before it is counted', 'http/judge.ts', [
      '    // A guess is counted before it is judged.\n    count()\n    const account = gate.admit(authorization, address)\n',
      '    const account = gate.admit(authorization, address)\n    if (account === undefined) count()\n',
    ]),
  ),
  brokenFor(
    'src/http/admit.test.ts',
    broken('guesses at one account shut out another one', 'http/judge.ts', [
      'const name = JSON.stringify([gate.claimed(authorization), address])',
      'const name = JSON.stringify([address])',
    ]),
  ),
  brokenFor(
    'src/http/osb/waits.test.ts',
    broken('a forgotten request takes back what its repetition waits for', 'http/osb/waits.ts', [
      "if (gone.aborted || waiting.latest !== turn) return 'left'",
      "if (gone.aborted) return 'left'",
    ]),
  ),
  brokenFor(
    'src/http/osb/waits.test.ts',
    broken('what a platform was promised is taken back', 'http/osb/waits.ts', [
      "waitingFor(operation, false).promise = 'given'",
      "waitingFor(operation, false).promise = 'none'",
    ]),
  ),
  brokenFor(
    'src/http/osb/last-seen.test.ts',
    broken('an end is told that the store did not tell', 'http/osb/last-seen.ts', [
      "if (answer.body?.['state'] !== 'in progress') return",
      'if (answer.body === undefined) return',
    ]),
  ),
  brokenFor(
    'src/broker/refusals.test.ts',
    broken('bindings of one name are one secret', 'broker/refusals.ts', [
      'return JSON.stringify([action, refusal?.code, asker.account.id, kind, id, within, asker.source])',
      'return JSON.stringify([action, refusal?.code, asker.account.id, kind, id, within?.length, asker.source])',
    ]),
  ),
  brokenFor(
    'src/broker/admission.test.ts',
    broken('a different order of the same id is the same', 'broker/admission.ts', [
      "    case 'ready':\n      return same ? 'exists' : 'conflict'",
      "    case 'ready':\n      return same ? 'exists' : 'exists'",
    ]),
  ),
  brokenFor(
    'src/work/late-secrets.test.ts',
    broken('the rest of a secret whose beginning is hidden stays in the log', 'work/log-rows.ts', [
      'return hidden.length === 0 ? row : { ...row, hidden }',
      'return hidden.length >= 0 ? row : { ...row, hidden }',
    ]),
  ),
  brokenFor(
    'src/store/keys.test.ts',
    broken('a ring that lost a key is learned from', 'store/keys.ts', [
      'return others.length > 0 && others.every(({ id, key }) => keyIn(entries, id)?.equals(key))',
      'return others.length > 0 && others.some(({ id, key }) => keyIn(entries, id)?.equals(key))',
    ]),
  ),
]
