/** Loaded before a command: kills it, as a power switch would, at one of the commits of its store. KILL_AT is `before 3` or `after 3`. */
import { DatabaseSync } from 'node:sqlite'

const [when, number] = (process.env['KILL_AT'] ?? '').split(' ')
let commits = 0

const execute = DatabaseSync.prototype.exec
DatabaseSync.prototype.exec = function (this: DatabaseSync, command: string) {
  const isTheOne = command === 'COMMIT' && ++commits === Number(number)
  if (isTheOne && when === 'before') process.kill(process.pid, 'SIGKILL')
  execute.call(this, command)
  if (isTheOne) process.kill(process.pid, 'SIGKILL')
}
