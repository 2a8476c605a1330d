/** The actions of a bundle, as its playbooks are named. */
export type ApbAction = 'provision' | 'deprovision' | 'bind' | 'unbind' | 'update' | 'test'
