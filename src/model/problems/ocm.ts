/** What goes wrong with component versions: their documents, places, digests and signatures. */
import type { ProblemTable } from './table.ts'

export const ocmProblems = {
  'ocm.reference.invalid': {
    title: 'The reference names no component version',
    hint: 'Write ocm:REPOSITORY//COMPONENT:VERSION, where the repository is a transport archive or a registry.',
    status: 422,
    exit: 9,
  },
  'ocm.repository.invalid': {
    title: 'This is no repository of component versions',
    hint: 'Use a transport archive (folder, tar or tgz with an artifact-index.json), a component archive or a registry.',
    status: 422,
    exit: 9,
  },
  'ocm.descriptor.invalid': {
    title: 'The component descriptor is not valid',
    hint: 'Build the component version again.',
    status: 422,
    exit: 9,
  },
  'ocm.version.unknown': {
    title: 'There is no such component version',
    hint: 'See "chandler ocm get REPOSITORY//COMPONENT" for the versions there are.',
    status: 404,
    exit: 4,
  },
  'ocm.version.ambiguous': {
    title: 'The reference names more than one component version',
    hint: 'Name the component and its version.',
    status: 422,
    exit: 9,
  },
  'ocm.version.exists': {
    title: 'The target holds another component version of this name',
    hint: 'Give it another version, or replace it with --overwrite.',
    status: 409,
    exit: 5,
  },
  'ocm.version.unwritable': {
    title: 'This component version cannot be written',
    hint: 'Change what is named.',
    status: 422,
    exit: 9,
  },
  'ocm.reference.unresolved': {
    title: 'A component version that is referenced cannot be found',
    hint: 'Bring it into the same repository, or say where it is with --lookup.',
    status: 422,
    exit: 9,
  },
  'ocm.reference.cycle': {
    title: 'Component versions reference each other in a circle',
    hint: 'Remove one of the references.',
    status: 422,
    exit: 9,
  },
  'ocm.reference.limit': {
    title: 'More component versions are referenced than are followed',
    hint: 'Reference fewer, or less deeply.',
    status: 422,
    exit: 11,
  },
  'ocm.resource.unknown': {
    title: 'The component version has no such resource',
    hint: 'See "chandler ocm get REFERENCE" for its resources.',
    status: 404,
    exit: 4,
  },
  'ocm.access.invalid': {
    title: 'The access of a resource or source cannot be understood',
    hint: 'Build the component version again.',
    status: 422,
    exit: 9,
  },
  'ocm.access.unsupported': {
    title: 'The content lies where it cannot be fetched from',
    hint: 'Transfer the component version by value with a tool that reaches this place, and use the result.',
    status: 422,
    exit: 9,
  },
  'ocm.digest.resource': {
    title: 'A resource is not what its component version says',
    hint: 'Do not use it: it was replaced or damaged since the version was made.',
    status: 502,
    exit: 9,
  },
  'ocm.digest.reference': {
    title: 'A referenced component version is not the one that was meant',
    hint: 'Do not use it: it was replaced or changed since the version was made.',
    status: 502,
    exit: 9,
  },
  'ocm.digest.unsupported': {
    title: 'A digest cannot be checked',
    hint: 'Digest again with SHA-256 and an algorithm of the present specification.',
    status: 422,
    exit: 9,
  },
  'ocm.signature.missing': {
    title: 'The component version lacks a signature',
    hint: 'Sign it, or ask for signatures that it has.',
    status: 422,
    exit: 9,
  },
  'ocm.signature.digest': {
    title: 'The component version is not the one that was signed',
    hint: 'Do not use it: its descriptor was changed since.',
    status: 502,
    exit: 9,
  },
  'ocm.signature.value': {
    title: 'The signature is not one of this key',
    hint: 'Check whose key it should be; if it is the right one, the signature is forged.',
    status: 502,
    exit: 9,
  },
  'ocm.signature.certificate': {
    title: 'The certificate of a signature is not trusted',
    hint: 'Check its chain, its dates and its subject, or trust its root.',
    status: 502,
    exit: 9,
  },
  'ocm.signature.unsupported': {
    title: 'The signature is of a kind that cannot be checked',
    hint: 'Sign with RSASSA-PKCS1-V1_5 or RSASSA-PSS over SHA-256.',
    status: 422,
    exit: 9,
  },
  'ocm.key.invalid': {
    title: 'A key cannot be used for this',
    hint: 'Give an RSA key as PEM: a public one or a certificate to verify, a private one to sign.',
    status: 422,
    exit: 9,
  },
  'ocm.constructor.invalid': {
    title: 'The component constructor is not valid',
    hint: 'Correct what is named.',
    status: 422,
    exit: 9,
  },
  'ocm.config.invalid': {
    title: 'The configuration of OCM cannot be understood',
    hint: 'Correct what is named.',
    status: 422,
    exit: 9,
  },
} as const satisfies ProblemTable
