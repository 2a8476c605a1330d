/** What installations are called: bundles name by it what they share and delete. */
import { sha256 } from '../../kit/hash.ts'
import type { Carryover } from '../../model/outcome.ts'
import type { Situation } from '../../model/situation.ts'
import { dependencyInstallation } from './dependencies.ts'
import { aliasesIn, memoryOf } from './memory.ts'

/**
 * The name of the installation itself, or of a dependency of it: a DNS label that begins with a letter, one for each
 * instance of each platform. An installation that has a name keeps it.
 */
export function installationOf(
  { instance, platform, carryover }: Pick<Situation, 'instance' | 'platform' | 'carryover'>,
  alias?: string,
): string {
  const fresh =
    platform === 'local' ? instance.id : `s${sha256(JSON.stringify([platform, instance.id])).slice(0, 32)}`
  const own = nameIn(carryover) ?? fresh
  return alias === undefined ? own : dependencyInstallation(own, alias)
}

/** As the bundle was called before, or as a dependency shows that it was. */
function nameIn(carryover: Carryover): string | undefined {
  const own = memoryOf(carryover).claim?.installation
  if (own !== undefined) return own
  return aliasesIn(carryover)
    .map((alias) =>
      memoryOf(carryover, alias).claim?.installation.slice(0, -dependencyInstallation('', alias).length),
    )
    .find((name) => name !== undefined && name !== '')
}
