/** Kubeconfigs of clusters that are pretended. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes one into a folder, for the namespace of runs; answers its path. */
export function kubeconfigAt(folder: string, server: string, token = 'token-of-the-broker'): string {
  const file = join(folder, 'kubeconfig')
  const content = {
    clusters: [{ name: 'here', cluster: { server } }],
    users: [{ name: 'broker', user: { token } }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'broker', namespace: 'runs' } }],
    'current-context': 'here',
  }
  writeFileSync(file, JSON.stringify(content))
  return file
}
