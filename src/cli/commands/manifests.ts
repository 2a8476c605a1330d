/** chandler manifests: the objects of a broker in a Kubernetes cluster, made from a file of values. */
import type { Command } from 'commander'
import { writeOlderYaml } from '../../kit/yaml.ts'
import { add } from '../command.ts'
import { objectsOf } from '../manifests/objects.ts'
import { readValues } from '../manifests/values.ts'
import { print } from '../terminal.ts'

export function register(program: Command): void {
  add(program, {
    usage: 'manifests <values>',
    summary: 'Print the Kubernetes manifests of a broker, made from values',
    description:
      'Prints Deployment, Services, roles, network policies and what else a broker needs in a Kubernetes cluster, as documents for kubectl. Secrets are named and not made. Values that are wrong are told all at once; the configuration of the broker, which is one of them, is checked with them.',
    examples: ['manifests values.yml | kubectl apply -f -', 'manifests values.yml | kubectl diff -f -'],
  }).action((file: string) => print(manifestsOf(file)))
}

/** The documents for kubectl. Problems: settings.invalid, file.unreadable. */
export function manifestsOf(file: string): string {
  return objectsOf(readValues(file))
    .map((one) => writeOlderYaml(one))
    .join('---\n')
}
