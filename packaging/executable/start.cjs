// Starts the program that a single executable carries: lays it out once in a folder of this user, with the Node that the
// executable is, and becomes it. Child processes and threads of the program are started from that folder, too.
'use strict'
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const { homedir, tmpdir } = require('node:os')
const { dirname, join } = require('node:path')
const { getRawAsset } = require('node:sea')
const { brotliDecompressSync } = require('node:zlib')

const carried = Buffer.from(getRawAsset('program'))
const name = createHash('sha256').update(carried).update(process.version).digest('hex').slice(0, 16)
const folder = places().map(layOut).find((found) => found !== undefined)
if (folder === undefined) {
  console.error('error: chandler finds no folder to lay itself out in: set XDG_CACHE_HOME to one that can be written to.')
  process.exit(73)
}
const node = join(folder, 'bin', 'node')
process.removeAllListeners('warning')
process.on('warning', () => undefined)
process.execve(node, [node, join(folder, 'bin', 'chandler.mjs'), ...process.argv.slice(2)], process.env)

/** Folders that may hold it, the usual one first. */
function places() {
  const own = process.env.XDG_CACHE_HOME || (process.env.HOME ? join(homedir(), '.cache') : '')
  return [...(own ? [join(own, 'chandler', 'program')] : []), join(tmpdir(), `chandler-${process.getuid()}`)]
}

/** Lays it out below a folder, unless it is there; undefined where that cannot be, or another user could change it. */
function layOut(parent) {
  const whole = join(parent, name)
  try {
    fs.mkdirSync(parent, { recursive: true, mode: 0o700 })
    const { uid, mode } = fs.lstatSync(parent)
    if (uid !== process.getuid() || (mode & 0o022) !== 0) return undefined
    if (fs.existsSync(whole)) return whole
    const made = fs.mkdtempSync(join(parent, '.new-'))
    for (const [path, { mode: fileMode, text }] of Object.entries(JSON.parse(brotliDecompressSync(carried)))) {
      fs.mkdirSync(dirname(join(made, path)), { recursive: true })
      fs.writeFileSync(join(made, path), Buffer.from(text, 'base64'), { mode: fileMode })
    }
    fs.writeFileSync(join(made, 'bin', 'node'), plainNode(), { mode: 0o755 })
    try {
      fs.renameSync(made, whole)
    } catch (error) {
      fs.rmSync(made, { recursive: true, force: true })
      // Another process was first.
      if (!fs.existsSync(whole)) throw error
    }
    return whole
  } catch {
    return undefined
  }
}

/** This executable as the Node that it was made of: the mark that says it carries a program is taken back. */
function plainNode() {
  const bytes = fs.readFileSync(process.execPath)
  // Put together here, so that the search does not find this very text.
  const mark = Buffer.from(['NODE_SEA_FUSE', 'fce680ab2cc467b6e072b8b5df1996b2:1'].join('_'))
  const at = bytes.indexOf(mark)
  bytes.write('0', at + mark.length - 1)
  return bytes
}
