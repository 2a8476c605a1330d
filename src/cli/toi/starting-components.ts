/** The files of a TOI package to start with: a component of the package, and one of the executor that carries it out. */
import type { StartingFile } from '../write-files.ts'

/** A package of that name. */
export function startingComponents(name: string): readonly StartingFile[] {
  return [
    { path: 'component-constructor.yaml', text: constructorFile(`example.com/${name}`) },
    { path: 'package.yaml', text: packageFile },
    { path: 'executor.yaml', text: executor },
    { path: 'image/image.yml', text: image },
    { path: 'image/root/toi/run', text: run, executable: true },
  ]
}

const constructorFile = (
  name: string,
) => `# "chandler test" and "chandler dev" build the image of the folder "image" and put its layout in place of \${LAYOUT}.
components:
  - name: ${name}
    version: 0.1.0
    provider: {name: example.com}
    resources:
      - name: package
        type: toiPackage
        input: {type: file, path: package.yaml, mediaType: application/vnd.toi.ocm.software.package.v1+yaml}
      - name: executor
        type: toiExecutor
        input: {type: file, path: executor.yaml, mediaType: application/vnd.toi.ocm.software.executor.v1+yaml}
      - name: image
        type: ociImage
        input: {type: ociArtifact, path: "oci:\${LAYOUT}:image", repository: image}
`

const packageFile = `description: Greets.
executors:
  - actions: [install, update, uninstall, bind, unbind]
    resourceRef:
      resource: {name: executor}
    outputs: {greeting: greeting, password: password}
configTemplate:
  greeting: hello
configScheme:
  type: object
  additionalProperties: false
  properties:
    greeting: {type: string, maxLength: 40, description: What it says.}
`

const executor = `actions: [install, update, uninstall, bind, unbind]
imageRef:
  resource: {name: image}
outputs:
  greeting: {description: What it says.}
  password: {description: Made for each binding.}
`

const image = `# Programs of this machine, so that you can try without pulling anything.
entrypoint: [/toi/run]
environment: {PATH: /bin}
tools: [sh, cat, od, tr, sed]
`

const run = `#!/bin/sh
# Called with the action and the component; what it writes below /toi/outputs is handed out.
set -eu
action=$1
sed -n 's/^greeting: *//p' /toi/inputs/parameters | tr -d "\\"'\\n" > /toi/outputs/greeting
case "$action" in
  bind) od -An -N16 -tx1 /dev/urandom | tr -d ' \\n' > /toi/outputs/password ;;
esac
echo "$action is done"
`
