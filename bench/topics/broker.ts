/** The broker against the floor: a bare node:http server that checks the same credentials and sends the same bytes. */
import { bench as benchBroker } from '../broker/index.ts'
import { bench as benchCommand } from './cli.ts'

/** Prints the figures. */
export async function bench(): Promise<void> {
  await benchBroker()
  benchCommand()
}
