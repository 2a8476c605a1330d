/** What goes wrong with service bundles: their labels and specs, the parameters users send, their runs. */
import type { ProblemTable } from './table.ts'

const mend = 'Mend apb.yml, write it into the label com.redhat.apb.spec in base64, and build the image again.'

export const apbProblems = {
  'apb.label.undecodable': {
    title: 'The label com.redhat.apb.spec is not base64',
    hint: 'Write apb.yml into the label in base64, and build the image again.',
    status: 422,
    exit: 9,
  },
  'apb.label.runtime': {
    title: 'The runtime label is not a number',
    hint: 'Label the image with com.redhat.apb.runtime "2".',
    status: 422,
    exit: 9,
  },
  'apb.spec.unreadable': {
    title: 'The spec of the bundle is not a YAML document',
    hint: mend,
    status: 422,
    exit: 9,
  },
  'apb.spec.version': {
    title: 'The version of the spec or of the runtime is not supported',
    hint: 'Begin apb.yml with "version: 1.0", and build on a base image of runtime 1 or 2.',
    status: 422,
    exit: 9,
  },
  'apb.spec.plans': { title: 'The plans of the spec are not usable', hint: mend, status: 422, exit: 9 },
  'apb.spec.parameter-type': {
    title: 'A parameter has no known type',
    hint: 'Use string, enum, int, number, boolean, object or array.',
    status: 422,
    exit: 9,
  },
  'apb.spec.ignored': {
    title: 'A field of the spec has no effect as it is written',
    hint: mend,
    status: 422,
    exit: 9,
  },
  'apb.spec.pattern': {
    title: 'A pattern is not an expression of RE2 and is left out',
    hint: 'Write it without lookaround and backreferences.',
    status: 422,
    exit: 9,
  },
  'apb.spec.default': {
    title: 'A default cannot be used and is left out',
    hint: 'Give a default that JSON can hold and that the type of the parameter allows.',
    status: 422,
    exit: 9,
  },
  'apb.spec.advice': {
    title: 'The spec is taken as it is, but users will trip over it',
    hint: mend,
    status: 422,
    exit: 9,
  },
  'apb.folder': {
    title: 'The folder of the bundle is not complete',
    hint: 'Compare it with what chandler apb init writes.',
    status: 422,
    exit: 9,
  },
  'apb.dockerfile': {
    title: 'The Dockerfile says what cannot be built without a container engine',
    hint: 'Use FROM, LABEL, COPY, ENV, USER, WORKDIR, ENTRYPOINT and CMD; or build it with docker or podman, and name the image.',
    status: 422,
    exit: 9,
  },
  'apb.push': {
    title: 'The broker does not offer the bundle that was pushed',
    hint: 'Push to where a source of the broker lists images, under a name and tag that it takes; "chandler package list" tells what it left out or refused and why, and refreshInterval how often it looks.',
    status: 422,
    exit: 9,
  },
  'apb.options-invalid': {
    title: 'The options of the bundle are not valid',
    hint: 'Compare them with docs/contracts/apb.md.',
    status: 422,
    exit: 10,
  },
  'apb.plan.invalid': {
    title: 'The values of the plan do not fit the bundle',
    hint: 'Give values for parameters that the plan of the bundle declares, of their types.',
    status: 422,
    exit: 10,
  },
  'apb.parameters': {
    title: 'The parameters are not valid',
    hint: 'Compare them with the schema of the plan in the catalog.',
    status: 400,
    exit: 9,
  },
  'apb.parameters.too-large': {
    title: 'The parameters are too large for the arguments of a program',
    hint: 'Send less than 128 KiB in all.',
    status: 400,
    exit: 9,
  },
  'apb.update.plan': {
    title: 'The plan cannot be updated to the other plan',
    hint: 'Choose a plan that the current one lists in updates_to.',
    status: 400,
    exit: 9,
  },
  'apb.namespace': {
    title: 'The request names no usable target namespace',
    hint: 'Order from a platform that sends context.namespace, or set the option "namespace" of the bundle.',
    status: 400,
    exit: 9,
  },
  'apb.action-unsupported': {
    title: 'The bundle has no such action',
    hint: 'Ask the author of the bundle for a playbook of that name.',
    status: 422,
    exit: 3,
  },
  'apb.resources-remain': {
    title: 'The bundle has no deprovision action, so what it made may remain',
    hint: 'Remove what the bundle made by hand, then purge the instance.',
    status: 422,
    exit: 3,
  },
  'apb.run.start': {
    title: 'The bundle could not be started',
    hint: 'Check that the image can be pulled and that its entrypoint exists.',
    status: 422,
    exit: 3,
  },
  'apb.run.failed': {
    title: 'The bundle failed',
    hint: 'Read the log of the operation.',
    status: 422,
    exit: 3,
  },
  'apb.run.timeout': {
    title: 'The bundle did not end in time',
    hint: 'Read the log of the operation; give more time with the option timeoutSeconds.',
    status: 422,
    exit: 3,
  },
  'apb.run.needs-cluster': {
    title: 'The bundle asked for what only a Kubernetes cluster has',
    hint: 'Give it a cluster by the option targetCluster, and what it makes there in allow; what stands in the option needs is told at the order.',
    status: 422,
    exit: 3,
  },
  'apb.credentials': {
    title: 'The credentials of the bundle are not usable',
    hint: 'Write one JSON object as the member "fields" of the Secret that is named like the pod.',
    status: 500,
    exit: 3,
  },
} as const satisfies ProblemTable
