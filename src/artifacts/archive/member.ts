/** What an archive holds, whatever its format: members that were all checked before any is looked into. */
import { fail } from '../../model/problem.ts'
import type { ArchiveLimits } from '../limits.ts'
import { linkedPath, parentOf, plainPath, shownPath } from './names.ts'

export interface Member {
  /** Plain: relative, without `.` and `..`. */
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link'
  readonly bytes: number
  readonly mode: number
  /** Of a link. */
  readonly target: string
}

/** A way into an archive; the members of its kind know more about themselves. */
export interface ArchiveReader<Kind extends Member = Member> {
  readonly members: readonly Kind[]
  open(member: Kind, from: number): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** Gathers members one by one and refuses what could deceive or harm. */
export class MemberList<Kind extends Member> {
  readonly #limits: ArchiveLimits
  readonly #members = new Map<string, Kind>()
  #count = 0
  #bytes = 0

  constructor(limits: ArchiveLimits) {
    this.#limits = limits
  }

  /** Takes a member under the plain form of its path. Problems: archive.path-unsafe, archive.limit, archive.conflict. */
  add(path: string, make: (plain: string) => Kind): void {
    const plain = plainPath(path, this.#limits)
    const member = make(plain)
    this.#count++
    this.#bytes += member.bytes
    const { archiveEntriesMax, archiveBytesMax } = this.#limits
    if (this.#count > archiveEntriesMax) fail('archive.limit', `more than ${archiveEntriesMax} entries`)
    if (this.#bytes > archiveBytesMax) fail('archive.limit', `more than ${archiveBytesMax} bytes unpacked`)
    if (member.path === '') {
      if (member.kind !== 'folder') fail('archive.conflict', 'the root is not a folder')
      return
    }
    const before = this.#members.get(member.path)
    if (before !== undefined && !(before.kind === 'folder' && member.kind === 'folder')) {
      fail('archive.conflict', shownPath(member.path))
    }
    this.#members.set(member.path, member)
  }

  find(path: string): Kind | undefined {
    return this.#members.get(path)
  }

  /** Bytes of all members together, as announced. */
  get bytes(): number {
    return this.#bytes
  }

  /** All members, when none lies in a file or behind a link. Problems: archive.conflict, archive.link-unsafe. */
  finish(): readonly Kind[] {
    for (const { path, kind, target } of this.#members.values()) {
      for (let above = parentOf(path); above !== ''; above = parentOf(above)) {
        const there = this.#members.get(above)
        if (there === undefined || there.kind === 'folder') continue
        if (there.kind === 'link') fail('archive.link-unsafe', `${shownPath(path)} lies behind a link`)
        fail('archive.conflict', `${shownPath(above)} is a file and a folder`)
      }
      if (kind === 'link' && linkedPath(path, target) === undefined) {
        fail('archive.link-unsafe', `${shownPath(path)} leads to ${shownPath(target)}`)
      }
    }
    return [...this.#members.values()]
  }
}

/** The member a path leads to, links followed inside the archive. Problems: archive.link-unsafe. */
export function findMember<Kind extends Member>(
  members: ReadonlyMap<string, Kind>,
  path: string,
): Kind | undefined {
  let here = path
  for (let hop = 0; hop < 40; hop++) {
    const member = members.get(here) ?? behindLink(members, here)
    if (member === undefined || (typeof member !== 'string' && member.kind !== 'link')) {
      return typeof member === 'string' ? undefined : member
    }
    const next = typeof member === 'string' ? member : linkedPath(here, member.target)
    if (next === undefined) return undefined
    here = next
  }
  return fail('archive.link-unsafe', `${shownPath(path)} leads in a circle`)
}

/** Where a path really is when a folder above it is a link. */
function behindLink<Kind extends Member>(
  members: ReadonlyMap<string, Kind>,
  path: string,
): string | undefined {
  for (let above = parentOf(path); above !== ''; above = parentOf(above)) {
    const there = members.get(above)
    if (there?.kind !== 'link') continue
    const target = linkedPath(above, there.target)
    return target === undefined ? undefined : `${target}${path.slice(above.length)}`
  }
  return undefined
}
