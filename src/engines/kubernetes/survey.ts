/** What must be known of an image and can only be seen in a container of it: its users, its folders, its program. */

import { headBytes, starterFault, starterOf } from '../../artifacts/interpreter.ts'
import type { Job } from '../../model/job.ts'
import { fail } from '../../model/problem.ts'
import { argvOf, broughtAt, type ProgramImage, placesOf } from '../image-program.ts'
import { quote } from '../shell.ts'
import type { UserLists } from '../user.ts'
import type { KubernetesContext } from './context.ts'
import { runInside } from './inside.ts'

export interface Survey {
  readonly lists: UserLists
  /** Of the folders that were asked for. */
  readonly absent: readonly string[]
}

export interface Surveying {
  readonly pod: string
  readonly job: Job
  readonly image: ProgramImage
  /** Folders that must be made where the image lacks them. */
  readonly parents: readonly string[]
  readonly signal: AbortSignal
}

/** Problems: engine.start-failed when the image lacks the program, or what that needs. */
export async function surveyImage(
  context: KubernetesContext,
  { pod, job, image, parents, signal }: Surveying,
): Promise<Survey> {
  const [program] = argvOf(job.steps[0], image)
  const places = placesOf(program, { job, image })
  const brought = places.findIndex((place) => broughtAt(job, place) !== undefined)
  // Behind what the job brings nothing is looked for.
  const looked = brought < 0 ? places : places.slice(0, brought)
  const script = [
    'for list in passwd group; do echo "$list $(base64 -w 0 /etc/$list 2>/dev/null)"; done',
    ...parents.map((path, i) => `[ -e ${quote(path)} ] || echo "absent ${i}"`),
    `for place in ${looked.map(quote).join(' ')}; do`,
    // Where a link leads the kernel knows.
    '[ ! -L "$place" ] || { echo "program link"; break; }',
    '[ ! -f "$place" ] || [ ! -x "$place" ] || { echo "program $(head -c 4096 "$place" | base64 -w 0)"; break; }',
    '[ ! -e "$place" ] || echo "program other"; done',
  ].join('\n')
  const { stdout } = await runInside(context, { pod, script, signal })
  const lines = stdout
    .toString()
    .split('\n')
    .map((line) => line.split(' '))
  const textAfter = (word: string): string => lines.find(([first]) => first === word)?.[1] ?? ''
  const list = (name: string): string => Buffer.from(textAfter(name), 'base64').toString()
  const found = lines.filter(([first]) => first === 'program').map(([, what = '']) => what)
  const place = brought < 0 ? undefined : places[brought]
  const head = found.find((what) => what !== 'other')
  if (head === undefined && place === undefined)
    return fail(
      'engine.start-failed',
      found.includes('other') && program.includes('/')
        ? `${program} is not executable`
        : `the image has no program ${program}`,
    )
  const bytes = head === undefined ? broughtAt(job, place ?? '') : Buffer.from(head, 'base64')
  if (bytes !== undefined && head !== 'link')
    await checkStarter(context, { pod, job, program, signal }, bytes.subarray(0, headBytes))
  return {
    lists: { passwd: list('passwd'), group: list('group') },
    absent: lines.flatMap(([word, i]) => (word === 'absent' ? (parents[Number(i)] ?? []) : [])),
  }
}

async function checkStarter(
  context: KubernetesContext,
  { pod, job, program, signal }: Pick<Surveying, 'pod' | 'job' | 'signal'> & { readonly program: string },
  head: Buffer,
): Promise<void> {
  const starter = starterOf(head)
  if (starter.kind === 'none') return
  const isThere = async (path: string): Promise<boolean> =>
    broughtAt(job, path) !== undefined ||
    (await runInside(context, { pod, script: `[ -e ${quote(path)} ]`, signal })).exit === 0
  if (starter.kind !== 'needs' || !(await isThere(starter.path)))
    fail('engine.start-failed', starterFault(program, starter))
}
