/** The world that spiff cases may touch: environment, chance, clock, and this machine's files where a case says so. */
import { randomBytes } from 'node:crypto'
import type { Ports } from '../../../src/languages/spiff/index.ts'
import { localFiles, localPrograms } from '../../../src/cli/spiff/local.ts'
import type { Case } from './judge.ts'

/** The ports of one case; private cases have neither files nor programs. */
export function corpusPorts(item: Case): Ports {
  const outside = item.private ? {} : { files: localFiles(), programs: localPrograms() }
  return {
    ...outside,
    environment: (name) => item.env?.[name],
    random: (count) => new Uint8Array(randomBytes(count)),
    now: () => Date.now(),
  }
}
