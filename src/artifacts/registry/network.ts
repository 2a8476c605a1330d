/** What is loaded late of the library; named here, since in a bundle its parts have no names to those who load it late. */
export { Agent, EnvHttpProxyAgent, request } from 'undici'
