/** Where an executor finds what it is given, and where it leaves what it makes. */

export const places = {
  config: '/toi/inputs/config',
  parameters: '/toi/inputs/parameters',
  ocmconfig: '/toi/inputs/ocmconfig',
  ocmrepo: '/toi/inputs/ocmrepo',
  outputs: '/toi/outputs',
} as const
