/** Where the build puts what browsers ask for: beside the bundle, which is in dist. */
import { join } from 'node:path'

export function builtFolder(name: 'ui' | 'docs'): string {
  return join(import.meta.dirname, import.meta.url.endsWith('.ts') ? `../../dist/${name}` : name)
}
