/** Where the contract's files and folders lie in the container; all below the reserved folder. */

/** Reserved by the contract: what an image brings there is in the way. */
export const reserved = '/tweed'

export const places = {
  home: '/tweed/home',
  credstore: '/tweed/credstore',
  inputs: '/tweed/inputs.json',
  outputs: '/tweed/outputs',
  binding: '/tweed/binding.json',
} as const

export type TweedOperation = 'metadata' | 'provision' | 'bind' | 'unbind' | 'deprovision'
