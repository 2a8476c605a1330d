/** The files of a bundle to start with; the one in shell passes `chandler apb test` as it is. */
import type { StartingFile } from '../write-files.ts'

export interface BundleStart {
  readonly name: string
  readonly kind: 'shell' | 'ansible'
  /** The base image of playbooks. */
  readonly base: string
  readonly async: string
  readonly bindable: boolean
}

/** The files of a new folder. */
export function startingBundle(start: BundleStart): readonly StartingFile[] {
  return [{ path: 'apb.yml', text: spec(start) }, ...(start.kind === 'shell' ? shell(start) : ansible(start))]
}

const spec = ({ name, async, bindable }: BundleStart) => `version: 1.0
name: ${JSON.stringify(name)}
description: Gives every binding a password of its own
bindable: ${bindable ? 'true' : 'false'}
async: ${async}
metadata:
  displayName: ${JSON.stringify(name)}
plans:
  - name: default
    description: The only plan
    free: true
    metadata: {}
    parameters:
      - name: greeting
        title: Greeting
        type: string
        default: hello
        max_length: 40
        updatable: true
        display_type: text
`

function shell(start: BundleStart): readonly StartingFile[] {
  return [
    { path: 'image.yml', text: imageFile },
    { path: 'Dockerfile', text: shellDockerfile },
    { path: 'root/opt/bundle/entrypoint', text: entrypoint, executable: true },
    { path: 'root/opt/bundle/cluster', text: clusterCalls, executable: true },
    { path: 'README.md', text: readme(start) },
  ]
}

const imageFile = `# How the image is built: by chandler apb build, run and test.
entrypoint: [/opt/bundle/entrypoint]
environment: {PATH: /bin}
# Programs of this machine, so that you can try without pulling anything. For an image to publish, build upon one:
# base: docker://registry.example/shell-with-curl:latest
tools: [sh, cat, sed, tr, od, base64, curl]
`

const shellDockerfile = `FROM docker.io/curlimages/curl:latest

LABEL "com.redhat.apb.runtime"="2"
COPY root /
ENTRYPOINT ["/opt/bundle/entrypoint"]
`

const entrypoint = `#!/bin/sh
# Called as: entrypoint ACTION --extra-vars JSON
set -eu
. /opt/bundle/cluster

action=$1 vars=$3
# The text or number of one variable.
value() { printf %s "$vars" | sed -n 's/.*"'"$1"'":"\\{0,1\\}\\([^",}]*\\).*/\\1/p'; }
random() { od -An -N12 -tx1 /dev/urandom | tr -d ' \\n'; }

case $action in
  provision | update)
    progress "saying $(value greeting)"
    # Credentials of a provision come back to every later action.
    credentials '{"greeting":"'"$(value greeting)"'","admin":"'"$(random)"'"}'
    ;;
  bind)
    credentials '{"greeting":"'"$(value greeting)"'","username":"user-'"$(random)"'","password":"'"$(random)"'"}'
    ;;
  unbind)
    echo "removing $(value username)"
    ;;
  deprovision)
    echo "removing everything"
    ;;
  test)
    progress testing
    [ -n "$(value greeting)" ] || fail "there is no greeting"
    ;;
  *)
    # By this broker and others know that there is no such action.
    exit 8
    ;;
esac
`

const clusterCalls = `#!/bin/sh
# What the modules of Ansible do for playbooks, in shell: calls of the Kubernetes API, which may be a stand-in.
account=/var/run/secrets/kubernetes.io/serviceaccount

call() { # METHOD PATH TYPE BODY
  curl -sSf --retry 20 --retry-connrefused --retry-delay 1 --cacert $account/ca.crt \\
    -H "Authorization: Bearer $(cat $account/token)" -H "Content-Type: $3" -X "$1" -d "$4" \\
    -o /dev/null "https://kubernetes.default:\${KUBERNETES_SERVICE_PORT:-443}/api/v1/namespaces/$POD_NAMESPACE$2"
}

# Hands credentials out: one JSON object, once in a run.
credentials() {
  call POST /secrets application/json \\
    '{"metadata":{"name":"'"$POD_NAME"'"},"data":{"fields":"'"$(printf %s "$1" | base64 | tr -d '\\n')"'"}}'
}

# Tells users what is going on.
progress() {
  call PATCH "/pods/$POD_NAME" application/merge-patch+json '{"metadata":{"annotations":{"apb_last_operation":"'"$1"'"}}}'
}

# Ends with a sentence for the user.
fail() { printf %s "$1" > /dev/termination-log; exit 1; }
`

function ansible(start: BundleStart): readonly StartingFile[] {
  const { name, bindable } = start
  const role = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  const actions = ['provision', 'deprovision', ...(bindable ? ['bind', 'unbind'] : []), 'test']
  return [
    { path: 'Dockerfile', text: ansibleDockerfile(start) },
    ...actions.map((action) => ({ path: `playbooks/${action}.yml`, text: playbook(role, action) })),
    ...actions.map((action) => ({ path: `roles/${role}/tasks/${action}.yml`, text: tasks(action) })),
    { path: `roles/${role}/tasks/main.yml`, text: '- include_tasks: "{{ apb_action }}.yml"\\n' },
    { path: 'README.md', text: readme(start) },
  ]
}

const ansibleDockerfile = ({ base }: BundleStart) => `FROM ${base}

COPY playbooks /opt/apb/actions
COPY roles /opt/ansible/roles
RUN chmod -R g=u /opt/{ansible,apb}
USER apb
`

const playbook = (role: string, action: string) => `- name: ${action}
  hosts: localhost
  gather_facts: false
  connection: local
  vars:
    apb_action: ${action}
  roles:
    - role: ansible.kubernetes-modules
      install_python_requirements: no
    - role: ansibleplaybookbundle.asb-modules
    - role: ${role}
`

function tasks(action: string): string {
  switch (action) {
    case 'provision':
    case 'bind':
      return `- name: Credentials
  asb_encode_binding:
    fields:
      GREETING: "{{ greeting | default('hello') }}"
`
    case 'test':
      return `- name: Result
  asb_save_test_result:
    fail: false
    msg: "It works."
`
    default:
      return `- name: Nothing to do yet
  debug:
    msg: ${action}
`
  }
}

const readme = ({ name }: BundleStart) => `# ${name}

A service bundle (APB).

    chandler apb lint .                       why it would not be listed
    chandler apb run provision . -p greeting=hi
    chandler apb run bind .
    chandler apb run unbind .
    chandler apb run deprovision .
    chandler apb test .
    chandler apb build . --to oci:./image:latest
    chandler apb prepare .                    for docker build or podman build
`
