#!/usr/bin/env node
// What tools of the CNAB ecosystem call as their driver named "chandler": an operation on standard input, run here.
process.argv.splice(2, 0, 'cnab', 'driver')
await import('./chandler.mjs')
