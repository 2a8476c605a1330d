/** What is loaded late of the library; named here, since in a bundle its parts cannot be loaded late by name. */
export { Agent, EnvHttpProxyAgent, request } from 'undici'
