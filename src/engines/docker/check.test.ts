import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { release } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freshFolder } from '../../../test/support/image.ts'
import { systemClock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import { openDockerEngine } from './index.ts'

/** An engine that only tells of itself. */
async function engineThatSays(info: object) {
  const folder = freshFolder('check')
  const server = createServer((request, response) => {
    response.end(JSON.stringify(request.url === '/version' ? { ApiVersion: '1.41' } : info))
  })
  const socket = join(folder, 's')
  await once(server.listen(socket), 'listening')
  const nothing = () => fail('internal.unexpected', 'nothing is asked for here')
  const engine = await openDockerEngine({
    socket,
    folder: join(folder, 'tickets'),
    copier: { copy: nothing },
    supplies: { deliver: nothing },
    clock: systemClock,
    network: 'host',
  })
  onTestFinished(async () => {
    await engine.close()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return engine
}

test.each([
  ['nothing else of one on this host', {}, []],
  ['what one cannot limit', { MemoryLimit: false, PidsLimit: false }, ['engine.not-enforced']],
  ['that one is on another machine', { KernelVersion: '6.6.6-linuxkit' }, ['engine.elsewhere']],
])('the check says %s', async (_, info, codes) => {
  const engine = await engineThatSays({ KernelVersion: release(), ...info })

  const said = (await engine.check(AbortSignal.timeout(50_000))).map(({ code }) => code)

  expect(said).toEqual(['engine.network-shared', ...codes])
})
