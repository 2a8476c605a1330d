/** Whether a container has the program that it is to run, and what that program needs before its first line. */

import { headBytes, starterFault, starterOf } from '../../artifacts/interpreter.ts'
import type { Job } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import { argvOf, broughtAt, placesOf, type WantedProgram } from '../image-program.ts'
import type { Docker } from './client.ts'
import { readOut, statInside } from './container.ts'

/** Found missing here, the fault has a name; an engine would only say that something did not start. Problems: engine.start-failed. */
export async function checkProgram(docker: Docker, name: string, wanted: WantedProgram): Promise<void> {
  const { job } = wanted
  const [step] = job.steps
  const [program] = argvOf(step, wanted.image)
  for (const place of placesOf(program, wanted)) {
    const brought = broughtAt(job, place)
    if (brought !== undefined) return await checkStarter(docker, name, { job, program, head: brought })
    const there = await statInside(docker, name, place)
    // Where it leads the engine knows.
    if (there?.isLink) return
    if (there && !there.isFolder && (there.mode & 0o111) !== 0)
      return await checkStarter(docker, name, { job, program, head: await headInside(docker, name, place) })
    if (there !== undefined && program.includes('/'))
      fail('engine.start-failed', `${program} is not executable`)
  }
  fail('engine.start-failed', `the image has no program ${program}`)
}

async function headInside(docker: Docker, name: string, path: string): Promise<Buffer> {
  const out = await readOut(docker, name, { path, bytesMax: headBytes })
  const [first] = out?.items ?? []
  return first?.entry.kind === 'file' ? Buffer.from(first.bytes.subarray(0, headBytes)) : Buffer.alloc(0)
}

async function checkStarter(
  docker: Docker,
  name: string,
  { job, program, head }: { readonly job: Job; readonly program: string; readonly head: Buffer },
): Promise<void> {
  const starter = starterOf(head)
  if (starter.kind === 'none') return
  const isThere =
    starter.kind === 'needs' &&
    (broughtAt(job, starter.path) !== undefined ||
      (await statInside(docker, name, starter.path)) !== undefined)
  if (!isThere) fail('engine.start-failed', starterFault(program, starter))
}
