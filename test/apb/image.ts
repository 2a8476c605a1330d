/** An image whose programs can speak to an API over TLS: busybox, curl and what curl needs, and an entrypoint of the test. */
import { execFileSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { busyboxImage, type TestImage } from '../support/busybox.ts'
import { findProgram } from '../support/debian.ts'
import type { TreeItem } from '../support/image.ts'

/** Builds a bundle into the layout below a folder; needs the programs busybox and curl. */
export function bundleImage(
  folder: string,
  name: string,
  bundle: {
    readonly spec: string
    readonly entrypoint: string
    readonly runtime?: string
    readonly tree?: Readonly<Record<string, TreeItem>>
  },
): Promise<TestImage> {
  return busyboxImage(folder, name, {
    tree: {
      ...curlTree(),
      ...bundle.tree,
      'usr/bin/entrypoint': { bytes: `#!/bin/sh\n${api}\n${bundle.entrypoint}`, mode: 0o755 },
    },
    settings: {
      entrypoint: ['/usr/bin/entrypoint'],
      labels: {
        'com.redhat.apb.spec': Buffer.from(bundle.spec).toString('base64'),
        'com.redhat.apb.runtime': bundle.runtime ?? '2',
      },
    },
  })
}

/** Calls of the modules that bundles use, as shell functions (method, path, media type, body); texts among the variables by their names. */
const api = `
vars=$3
value() { printf %s "$vars" | sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }
own=/api/v1/namespaces/$POD_NAMESPACE
account=/var/run/secrets/kubernetes.io/serviceaccount
server=https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT
[ -z "$KUBECONFIG" ] || server=$(sed -n 's/.*"server":"\\([^"]*\\)".*/\\1/p' "$KUBECONFIG")
call() {
  curl -sS --retry 20 --retry-connrefused --retry-delay 1 --cacert $account/ca.crt -H "Authorization: Bearer $(cat $account/token)" \\
    -X "$1" -H "Content-Type: \${3:-application/json}" -d "\${4:-}" -w '\\n%{http_code}' "$server$2"
}
credentials() {
  call POST "/api/v1/namespaces/$POD_NAMESPACE/secrets" '' \\
    "{\\"metadata\\":{\\"name\\":\\"$POD_NAME\\"},\\"data\\":{\\"fields\\":\\"$(printf %s "$1" | base64 | tr -d '\\n')\\"}}"
}
annotate() {
  call PATCH "/api/v1/namespaces/$POD_NAMESPACE/pods/$POD_NAME" application/merge-patch+json \\
    "{\\"metadata\\":{\\"annotations\\":{\\"$1\\":\\"$2\\"}}}"
}
`

function curlTree(): Readonly<Record<string, TreeItem>> {
  const curl = findProgram('curl') ?? ''
  const listed = execFileSync('ldd', [curl], { encoding: 'utf8' })
  const libraries = [...listed.matchAll(/(\/\S+)/g)].map(([, path = '']) => path)
  const file = (path: string) => ({ bytes: readFileSync(realpathSync(path)), mode: 0o755 })
  return {
    'usr/bin/curl': file(curl),
    ...Object.fromEntries(libraries.map((path) => [path.slice(1), file(path)])),
  }
}
