/** Settings of runs that are pods of a cluster. */
import { duration, group, optional, path, text, texts } from './kinds.ts'

export const kubernetesSettings = group(
  'Where and how runs are pods, with `engine: kubernetes`. Without `kubeconfig` a broker that is a pod itself uses its own service account, another one the kubeconfig that kubectl would take.',
  {
    kubeconfig: optional(path({ doc: 'Which cluster, and who the broker is to it.' })),
    context: optional(text({ doc: 'Of the kubeconfig; its current one when absent.' })),
    namespace: optional(
      text({
        doc: 'Where pods are made; that of the credentials when absent.',
        pattern: /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
      }),
    ),
    helper: optional(
      text({
        doc: 'Image that holds `/bin/busybox`, linked statically, which each pod brings its tools from; `docker.io/library/busybox:1.37-musl` when absent.',
      }),
    ),
    registry: optional(
      text({
        doc: 'Registry and folder, as `registry.example/packages`, where images are copied to that lie in none: layouts and archives of this host.',
        pattern: /^[^/\s]+(\/[a-z0-9][a-z0-9._/-]*)?$/,
        written: 'HOST/FOLDER',
      }),
    ),
    pullSecrets: texts({ doc: 'Secrets of the namespace that images are pulled with.', fallback: [] }),
    startTimeout: duration({ doc: 'How long a pod may wait for its node and its images.', fallback: '5m' }),
    sandboxes: group(
      'Namespaces of their own for runs that speak to the Kubernetes API, as service bundles do; each is made for one run and removed after it. Of tenants with a namespace of their own there are none.',
      {
        targets: texts({
          doc: 'The namespaces that such runs may work for; without any, no run has access to the cluster. That of the pods must not be among them.',
          fallback: [],
          pattern: /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
          written: 'a namespace',
        }),
        role: text({
          doc: 'The ClusterRole that a run has in its target.',
          fallback: 'edit',
          pattern: /^[^/\s%]+$/,
          written: 'the name of a ClusterRole',
        }),
        keepFailed: optional(
          duration({ doc: 'How long the sandbox of a run that failed is kept; not at all when absent.' }),
        ),
      },
    ),
  },
)
