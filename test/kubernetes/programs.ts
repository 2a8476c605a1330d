/** The programs of a cluster: built once from the source package of Debian 12, kept outside the checkout by its version. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ensurePrograms } from '../support/debian.ts'

export const version = '1.20.5+really1.20.2-1.1+deb12u1'

/** Where they are, once they were built. */
export function findPrograms(): string {
  const shared = '/var/cache/chandler-test'
  const place = existsSync(shared) ? shared : join(homedir(), '.cache/chandler-test')
  return join(place, `kubernetes-${version}`)
}

/** Why there can be no cluster here, if so. Building takes minutes, so it must be asked for. */
export function clusterMissing(): string | undefined {
  const missing = whyNot()
  if (missing !== undefined) console.log(`skipped: ${missing}`)
  return missing
}

function whyNot(): string | undefined {
  if (process.geteuid?.() !== 0) return 'a cluster needs root'
  if (!existsSync(join(findPrograms(), 'complete'))) {
    if (process.env['CHANDLER_TEST_KUBERNETES'] !== '1')
      return 'Kubernetes is not built here: test/kubernetes/up builds it, and so does CHANDLER_TEST_KUBERNETES=1'
    const built = spawnSync(process.execPath, [join(import.meta.dirname, 'build.ts')], { stdio: 'inherit' })
    if (built.status !== 0) return 'Kubernetes could not be built'
  }
  return ensurePrograms('busybox', 'docker-registry', 'openssl', 'iptables', 'ip', 'pkill', 'curl')
}
