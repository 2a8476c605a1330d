/** What goes wrong where jobs run: hosts that lack something, images that do not start, names that are taken. */
import type { ProblemTable } from './table.ts'

export const engineProblems = {
  'secret.foreign': {
    title: 'There is a Secret of this name that belongs to another',
    hint: 'Look at whose it is; once it is gone, that of the binding is written by itself.',
    status: 409,
    exit: 5,
  },
  'secret.refused': {
    title: 'The cluster does not take the Secret of a binding',
    hint: 'Mend what the message names; it is tried again by itself.',
    status: 502,
    exit: 8,
  },
  'engine.unavailable': {
    title: 'The engine cannot be reached',
    hint: 'Run chandler doctor.',
    status: 503,
    exit: 8,
  },
  'engine.unconfigured': {
    title: 'The engine is not set up',
    hint: 'Name the kubeconfig of the cluster in kubernetes.kubeconfig, or choose another engine.',
    status: 500,
    exit: 9,
  },
  'engine.refused': {
    title: 'The engine cannot run this job',
    hint: 'Choose an engine that offers what the package needs.',
    status: 500,
    exit: 11,
  },
  'engine.start-failed': {
    title: 'The program could not be started',
    hint: 'Check that the image can be pulled and its entrypoint exists.',
    status: 500,
    exit: 3,
  },
  'engine.denied': {
    title: 'The cluster does not permit what the broker asks of it',
    hint: 'Give the account of the broker the role in deploy/kubernetes/role.yaml; chandler doctor prints what it lacks.',
    status: 500,
    exit: 8,
  },
  'engine.image-unavailable': {
    title: 'The cluster cannot pull the image',
    hint: 'Check that the reference exists, and that the namespace has a Secret to pull it with (kubernetes.pullSecrets).',
    status: 500,
    exit: 3,
  },
  'engine.unschedulable': {
    title: 'No node of the cluster takes the run',
    hint: 'Make room on the nodes, or give the run smaller limits.',
    status: 503,
    exit: 3,
  },
  'engine.quota-exceeded': {
    title: 'The quota of the namespace is used up',
    hint: 'Wait until other runs have ended, or raise the ResourceQuota of the namespace.',
    status: 503,
    exit: 3,
  },
  'engine.layout-gone': {
    title: 'The run was already ended and may not start again',
    hint: 'Nothing: this is what keeps a run from starting twice.',
    status: 500,
    exit: 1,
  },
  'engine.name-conflict': {
    title: 'The name of the run is taken by something foreign',
    hint: 'Remove the foreign object, then retry the operation.',
    status: 500,
    exit: 5,
  },
  'engine.user-unknown': {
    title: 'The image does not know the user it shall run as',
    hint: 'Add the user to /etc/passwd of the image, or name it by its number.',
    status: 422,
    exit: 9,
  },
  'engine.tool-missing': {
    title: 'A program that the package needs is not there',
    hint: 'Install it on the host of the broker, or put it into the package.',
    status: 500,
    exit: 8,
  },
  'engine.not-enforced': {
    title: 'The host cannot enforce a limit on runs',
    hint: 'Run the broker as root on a host with cgroups.',
    status: 500,
    exit: 8,
  },
  'engine.runtime-missing': {
    title: 'No container runtime is installed; runs are confined with the means of the kernel only',
    hint: 'Install crun or runc (Debian: apt-get install crun), which adds a filter of system calls.',
    status: 500,
    exit: 8,
  },
  'engine.cannot-confine': {
    title: 'Programs cannot be kept apart on this host, so none are run',
    hint: 'Give the broker the right to make namespaces and to mount in them: to a container by the options in docs/container.md, on a machine by user namespaces for ordinary users.',
    status: 500,
    exit: 8,
  },
  'engine.elsewhere': {
    title: 'The engine runs on another machine than the broker',
    hint: 'Use the socket of an engine on this host: one elsewhere, or in a machine of its own as that of Docker Desktop, sees nothing of what is prepared for a run.',
    status: 500,
    exit: 8,
  },
  'engine.network-shared': {
    title: 'Runs with network use the network of the host',
    hint: 'Install slirp4netns and iproute2, so that runs get a network of their own; until then let the broker listen where packages must not reach it.',
    status: 500,
    exit: 8,
  },
} as const satisfies ProblemTable
