/** The broker against the floor: a bare node:http server that checks the same credentials and sends the same bytes. */
export { bench } from '../broker/index.ts'
