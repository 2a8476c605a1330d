/** Specs of bundles that differ in their names and parameters alone. */

/** One bindable plan, `default`; parameters are written as flow maps of YAML. */
export function specOf(
  name: string,
  {
    parameters,
    bindParameters = [],
  }: { readonly parameters: readonly string[]; readonly bindParameters?: readonly string[] },
): string {
  return `
version: 1.0
name: ${name}
description: d
bindable: true
async: optional
metadata: {}
plans:
  - name: default
    description: One
    free: true
    metadata: {}
    parameters: [${parameters.join(', ')}]
    bind_parameters: [${bindParameters.join(', ')}]
`
}
