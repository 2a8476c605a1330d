/** One process: loads the library that is named, and measures its first call. */
import { readFileSync } from 'node:fs'

const [library = ''] = process.argv.slice(2)
const { template, stub } = JSON.parse(readFileSync(0, 'utf8')) as { template: string; stub: string }

const before = process.cpuUsage()
const { processSpiff } = (await import(library)) as typeof import('../../src/languages/spiff/index.ts')
const loaded = process.cpuUsage(before)

const between = process.cpuUsage()
const result = processSpiff({ name: 'template', text: template }, [{ name: 'stub', text: stub }])
if (result.kind === 'failed') throw new Error(result.fault.message)
const text = result.documents[0]?.yaml()
const called = process.cpuUsage(between)

if (!text) throw new Error('no document')
const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000
console.log(JSON.stringify({ loaded: milliseconds(loaded), called: milliseconds(called) }))
