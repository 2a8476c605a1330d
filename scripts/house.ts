/** Judges the sources by the rules of the house; part of `npm run check`. */
import { judgeHouse, readHouse } from '../test/house/read.ts'
import { describeFault } from '../test/house/rules.ts'

const faults = judgeHouse(readHouse())
for (const fault of faults) console.log(describeFault(fault))
if (faults.length > 0) process.exitCode = 1
