/** Where the contract's files and folders lie in the container; all below the reserved folder. */

export const places = {
  home: '/tweed/home',
  credstore: '/tweed/credstore',
  inputs: '/tweed/inputs.json',
  outputs: '/tweed/outputs',
  binding: '/tweed/binding.json',
} as const

export type TweedOperation = 'metadata' | 'provision' | 'bind' | 'unbind' | 'deprovision'
