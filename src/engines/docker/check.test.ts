import { spawnSync } from 'node:child_process'
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
  onTestFinished(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return engineAt(socket, folder)
}

async function engineAt(socket: string, folder: string) {
  const nothing = () => fail('internal.unexpected', 'nothing is asked for here')
  const engine = await openDockerEngine({
    socket,
    folder: join(folder, 'tickets'),
    copier: { copy: nothing },
    supplies: { deliver: nothing },
    clock: systemClock,
    network: 'host',
  })
  onTestFinished(() => engine.close())
  return engine
}

test.each([
  ['nothing else of one on this host', {}, []],
  ['what one cannot limit', { MemoryLimit: false, PidsLimit: false }, ['engine.not-enforced']],
  [
    'what one without root cannot limit',
    { CgroupVersion: '1', SecurityOptions: ['name=seccomp', 'name=rootless'] },
    ['engine.not-enforced'],
  ],
  ['that one is on another machine', { KernelVersion: '6.6.6-linuxkit' }, ['engine.elsewhere']],
])('the check says %s', async (_, info, codes) => {
  const engine = await engineThatSays({ KernelVersion: release(), ...info })

  const said = (await engine.check(AbortSignal.timeout(50_000))).map(({ code }) => code)

  expect(said).toEqual(['engine.network-shared', ...codes])
})

test('a socket that its engine left behind is told with what to do about it', async () => {
  const folder = freshFolder('check')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const socket = join(folder, 's')
  leaveSocket(socket)
  const engine = await engineAt(socket, folder)

  const said = await engine.check(AbortSignal.timeout(50_000))

  expect(said).toMatchObject([
    {
      code: 'engine.unavailable',
      detail: `connect ECONNREFUSED ${socket}`,
      hint: expect.stringContaining('remove the file'),
    },
  ])
})

/** Listens there in a process that is killed: one that ends by itself takes its socket along. */
function leaveSocket(socket: string): void {
  const program = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', program, socket])
}
