/**
 * For bundles: the library for certificates takes forty files, which is half of what loading spiff takes, and few templates have any. It is
 * brought along, and evaluated when one of its names is used for the first time.
 */
import { createRequire } from 'node:module'
import type { Plugin } from 'esbuild'

const here = createRequire(import.meta.url)

export const certificatesLater: Plugin = {
  name: 'certificates-later',
  setup(building) {
    building.onResolve({ filter: /^@peculiar\// }, ({ path, kind, namespace }) => {
      if (namespace === 'later' || kind !== 'import-statement') return { path: here.resolve(path) }
      return { path, namespace: 'later' }
    })
    // What it stands on comes along, too, where packages are otherwise left outside.
    building.onResolve({ filter: /^[^.]/ }, ({ path, importer }) =>
      /node_modules\/(?:@peculiar|asn1js|pvtsutils|pvutils)\//.test(importer)
        ? { path: here.resolve(path) }
        : undefined,
    )
    building.onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => ({
      resolveDir: import.meta.dirname,
      contents: `module.exports = Object.create(new Proxy({}, { get: (_, name) => require('${path}')[name] }))`,
    }))
  },
}
