/** What DNS names must look like, with the words Kubernetes uses. */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const labelForm = new RegExp(`^${label}$`)
const domainForm = new RegExp(`^${label}(\\.${label})*$`)

/** The faults of a DNS label. */
export function labelFaults(text: string): readonly string[] {
  return [
    ...tooLong(text, 63),
    ...(labelForm.test(text)
      ? []
      : [
          `a DNS-1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`,
        ]),
  ]
}

/** The faults of a DNS domain. */
export function domainFaults(text: string): readonly string[] {
  const form = `${label}(\\.${label})*`
  return [
    ...tooLong(text, 253),
    ...(domainForm.test(text)
      ? []
      : [
          `a DNS-1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${form}')`,
        ]),
  ]
}

/** The faults of a domain that begins with `*.`. */
export function wildcardFaults(text: string): readonly string[] {
  const form = `\\*\\.${label}(\\.${label})*`
  return [
    ...tooLong(text, 253),
    ...(text.startsWith('*.') && domainForm.test(text.slice(2))
      ? []
      : [
          `a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '${form}')`,
        ]),
  ]
}

function tooLong(text: string, most: number): readonly string[] {
  return text.length > most ? [`must be no more than ${most} characters`] : []
}
