/** The files of a pattern to start with: it passes `chandler tweed check --run` as it is. */
import type { StartingFile } from '../write-files.ts'

/** A pattern of that name. */
export function startingPattern(name: string): readonly StartingFile[] {
  return [
    { path: 'image.yml', text: imageFile },
    { path: 'Containerfile', text: containerfile },
    { path: 'root/metadata.yml', text: metadata(name) },
    { path: 'root/pattern', text: pattern, executable: true },
    { path: 'README.md', text: readme(name) },
  ]
}

const imageFile = `# How the image is built: by chandler tweed build, check and run.
entrypoint: [/pattern]
environment: {PATH: /bin}
# Programs of this machine, so that you can try without pulling anything. For an image to publish, build upon one:
# base: docker://docker.io/library/busybox:1.36
tools: [sh, cat, od, tr, sed]
`

const containerfile = `FROM docker.io/library/busybox:1.36
COPY root /
ENTRYPOINT ["/pattern"]
`

const metadata = (name: string) => `pattern: tweed/v1
name: ${JSON.stringify(name)}
version: 0.1.0
summary: Gives every binding a password of its own
description: |
  A starting point. It *pretends* to make something called by a name, and to give each binding an account on it.
authors:
  - Your Name <you@example.com>
files:
  - filename: summary.txt
    summary: What was made
inputs:
  name:
    type: string
    description: What to call it.
    pattern: ^[a-z][a-z0-9-]*$
    default: demo
`

const pattern = `#!/bin/sh
# The one argument is the operation. Standard error is the log; so is standard output, but for metadata and bind.
set -e

random() { od -An -N12 -tx1 /dev/urandom | tr -d ' \\n'; }
input() { sed -n "s/.*\\"$1\\": *\\"\\([^\\"]*\\)\\".*/\\1/p" "$2"; }

case "$1" in
  metadata)
    cat /metadata.yml
    ;;
  provision)
    name=$(input name "$INPUTS")
    echo "making $name"
    # Bind and unbind have no $INPUTS: what they need is kept in $CREDSTORE.
    echo "$name" > "$CREDSTORE/name"
    random > "$CREDSTORE/admin-password"
    echo "$name was made" > "$OUTPUTS/summary.txt"
    ;;
  bind)
    user="user-$(random)"
    echo "making account $user" >&2
    echo "name: $(cat "$CREDSTORE/name")"
    echo "username: $user"
    echo "password: $(random)"
    ;;
  unbind)
    echo "removing account $(input username "$BINDING")"
    ;;
  deprovision)
    echo "removing $(cat "$CREDSTORE/name")"
    ;;
  *)
    echo "unknown operation $1" >&2
    exit 1
    ;;
esac
`

const readme = (name: string) => `# ${name}

A pattern image for the Pattern OCI Image Contract, v1.

    chandler tweed metadata .          what it says of itself
    chandler tweed check . --run       lint, and a whole life
    chandler tweed run provision . -p name=mine
    chandler tweed run bind .
    chandler tweed run unbind .
    chandler tweed run deprovision .
    chandler tweed build . --to oci:./image:latest

To publish it, build the Containerfile, or name a \`base\` in image.yml.
`
