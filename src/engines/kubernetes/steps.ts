/** The command lines of steps: each program with an environment that is its own alone, as its user. */
import type { Step } from '../../model/job.ts'
import { argvOf, type ProgramImage } from '../image-program.ts'
import { resolveUser, type User, type UserLists } from '../user.ts'
import { usualPath } from '../usual-path.ts'
import { tools } from './agent.ts'

export interface StepImage extends ProgramImage {
  readonly user: string
}

export interface StepUser extends User {
  /** By which name the image knows it, where its groups come from there. */
  readonly login: string | undefined
}

/** Problems: engine.user-unknown. */
export function stepUser({ user: text }: Pick<Step, 'user'>, image: StepImage, lists: UserLists): StepUser {
  const user = resolveUser(text ?? image.user, lists)
  const rows = (lists.passwd ?? '').split('\n').map((line) => line.split(':'))
  const login = user.groups.length === 0 ? undefined : rows.find((row) => Number(row[2]) === user.uid)?.[0]
  return { ...user, login }
}

/** In front of a program, so that it runs as the user. A user with several groups is one that the image knows by name. */
export function asUser({ uid, gid, login }: StepUser, rest: readonly string[]): readonly string[] {
  if (login !== undefined) return [`${tools}/su`, '-p', '-s', rest[0] ?? '', '--', login, ...rest.slice(1)]
  return uid === 0 && gid === 0 ? rest : [`${tools}/nsenter`, '-S', String(uid), '-G', String(gid), ...rest]
}

/** The whole command line; secrets of its environment come in a file of the pod, never in its description. */
export function stepLine(
  step: Step,
  image: StepImage,
  { user, more }: { readonly user: StepUser; readonly more: Readonly<Record<string, string>> },
): readonly string[] {
  const own = Object.entries(step.environment).map(([name, value]): readonly [string, string] => [
    name,
    typeof value === 'string' ? value : value.reveal(),
  ])
  const ofImage = image.environment.map((line): readonly [string, string] => {
    const at = line.indexOf('=')
    return [line.slice(0, at), line.slice(at + 1)]
  })
  const environment = new Map([
    ...Object.entries({ PATH: usualPath, HOME: user.home }),
    ...Object.entries(more),
    ...ofImage,
    ...own,
  ])
  const words = [...environment].map(([name, value]) => `${name}=${value}`)
  // The name of a program is looked for in its own PATH, which env has set by then.
  return asUser(user, [`${tools}/env`, '-i', ...words, ...argvOf(step, image)])
}
