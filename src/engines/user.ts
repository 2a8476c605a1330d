/** Whom a program runs as: the text of an image or step against the image's own lists, never the host's. */
import { fail } from '../model/problem.ts'

export interface User {
  readonly uid: number
  readonly gid: number
  /** Further groups. */
  readonly groups: readonly number[]
  readonly home: string
}

export interface UserLists {
  /** The text of /etc/passwd. */
  readonly passwd: string | undefined
  /** The text of /etc/group. */
  readonly group: string | undefined
}

const numberMax = 2 ** 31 - 1

/** Reads `USER`, `USER:GROUP`, each a name or a number. Problems: engine.user-unknown. */
export function resolveUser(text: string, lists: UserLists): User {
  const [name = '', groupName] = text.split(':')
  const wanted = name === '' ? '0' : name
  const rows = rowsOf(lists.passwd)
  const row = rows.find(([login]) => login === wanted) ?? rows.find(([, , uid]) => uid === wanted)
  const uid = number(wanted) ?? number(row?.[2]) ?? fail('engine.user-unknown', `user "${wanted}"`)
  const gid = groupName === undefined ? (number(row?.[3]) ?? 0) : groupOf(groupName, lists)
  const login = row?.[0]
  const groups =
    groupName !== undefined || login === undefined
      ? []
      : rowsOf(lists.group)
          .filter(([, , , members = '']) => members.split(',').includes(login))
          .flatMap(([, , id]) => number(id) ?? [])
  return { uid, gid, groups: [...new Set(groups)].filter((id) => id !== gid), home: row?.[5] || '/' }
}

function groupOf(text: string, { group }: UserLists): number {
  const row = rowsOf(group).find(([name]) => name === text)
  return number(text) ?? number(row?.[2]) ?? fail('engine.user-unknown', `group "${text}"`)
}

function rowsOf(text = ''): readonly (readonly string[])[] {
  return text.split('\n').map((line) => line.split(':'))
}

function number(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+$/.test(text)) return undefined
  const value = Number(text)
  return value <= numberMax ? value : undefined
}
