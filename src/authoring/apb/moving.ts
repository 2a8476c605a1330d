/** From an original Automation Broker to this one: its configuration, its specs, its instances. */
export { movedInstances } from './moving/instances.ts'
export { readDump } from './moving/resources.ts'
export { moveBrokerSettings } from './moving/settings.ts'
export { specsLeftOut, specsOf } from './moving/specs.ts'
