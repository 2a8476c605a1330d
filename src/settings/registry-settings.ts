/** Settings of registries: credentials, certificates, what an unqualified reference means. */
import { duration, flag, group, items, optional, path, secret, text, texts, type ValueOf } from './kinds.ts'

export const registrySettings = group('Where packages and images are fetched from.', {
  credentialFiles: optional(
    texts({ doc: "Files in the form of Docker's config.json; those of Docker and Podman when absent." }),
  ),
  defaultHost: optional(text({ doc: 'For references that name no host; refused when absent.' })),
  keepUnused: duration({
    doc: 'How long what was brought for packages stays after its last use, when nothing that is offered or has instances needs it.',
    fallback: '7d',
  }),
  signingPolicy: optional(
    path({ doc: 'File that says which signers are trusted, and which packages must be signed by whom.' }),
  ),
  hosts: items('A registry that needs more than a credential file.', {
    host: text({
      doc: 'As references write it, with its port.',
      pattern: /^(?:\[[0-9a-fA-F:.]+\]|[^\s/:@]+)(?::\d{1,5})?$/,
      written: 'host:port',
    }),
    user: optional(text({ doc: 'Account.' })),
    password: optional(secret({ doc: 'Password of the account.' })),
    caFile: optional(
      path({
        doc: "Certificates (PEM) to trust besides the system's (or those of SSL_CERT_FILE) and those in certs.d of Podman and Docker.",
      }),
    ),
    certificateFile: optional(
      path({
        doc: 'Certificate chain (PEM) to show where the registry asks for one; else that in certs.d of Podman and Docker.',
      }),
    ),
    keyFile: optional(path({ doc: 'Private key (PEM) of `certificateFile`.' })),
    mirrors: texts({
      doc: "Where what is read is asked for first, in this order, as `host` or `host/folder`; the path in this registry comes behind it. How a mirror is reached its own entry says. Those of Podman's registries.conf follow.",
      fallback: [],
      pattern: /^[^\s/:@]+(?::\d{1,5})?(?:\/[^\s/:@]+)*$/,
      written: 'host:port/folder',
    }),
    plainHttp: flag({ doc: 'Speak HTTP without encryption; loopback needs no permission.', fallback: false }),
    unverified: flag({ doc: 'Take any certificate.', fallback: false }),
  }),
})

/** What no single setting can know. */
export function faultsOfRegistries({ hosts }: ValueOf<typeof registrySettings>): readonly string[] {
  return hosts
    .filter(({ certificateFile, keyFile }) => (certificateFile === undefined) !== (keyFile === undefined))
    .map(({ host }) => `the registry ${host} needs both certificateFile and keyFile`)
}
