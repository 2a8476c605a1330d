/** Copies and checks large files of this machine: the kernel copies, and what was written is hashed through two buffers. */
import { existsSync } from 'node:fs'
import { chmod, constants, copyFile, type FileHandle, open } from 'node:fs/promises'
import { hashFor, splitDigest } from '../digest.ts'
import { refuseAltered } from '../oci/checked.ts'
import type { Descriptor } from '../oci/manifest.ts'

/** Copies a blob to a new file and fails if the copy is not what its descriptor says; the caller closes the source. Problems: artifact.altered. */
export async function copyBlobFile(descriptor: Descriptor, from: FileHandle, path: string): Promise<void> {
  // A larger one is refused before it fills the disk.
  const { size } = await from.stat()
  if (size !== descriptor.size) refuseAltered(descriptor, { seen: size, hex: '(not read)' })
  await copyOpened(from, path)
  const copy = await open(path)
  await checkBlobFile(descriptor, copy).finally(() => copy.close())
}

async function copyOpened(from: FileHandle, path: string): Promise<void> {
  // The file that was opened, whatever has come to its place since.
  const opened = `/proc/self/fd/${from.fd}`
  if (existsSync(opened)) {
    await copyFile(opened, path, constants.COPYFILE_EXCL)
    return await chmod(path, 0o644)
  }
  const to = await open(path, 'wx', 0o644)
  await to.writeFile(from.createReadStream({ start: 0, autoClose: false })).finally(() => to.close())
}

const pieceBytes = 1024 * 1024

/** Reads a blob and fails if it is not what its descriptor says; the caller closes the file. Problems: artifact.altered. */
export async function checkBlobFile(descriptor: Descriptor, file: FileHandle): Promise<void> {
  const hash = hashFor(descriptor.digest)
  const buffers = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)] as const
  let seen = 0
  let reading = read(file, buffers[0], 0)
  for (let turn = 1; ; turn++) {
    const piece = await reading
    seen += piece.byteLength
    if (piece.byteLength === 0 || seen > descriptor.size) break
    // While this piece is hashed.
    reading = read(file, turn % 2 === 0 ? buffers[0] : buffers[1], seen)
    hash.update(piece)
  }
  const found = hash.digest('hex')
  if (seen !== descriptor.size || found !== splitDigest(descriptor.digest).hex)
    refuseAltered(descriptor, { seen, hex: found })
}

async function read(from: FileHandle, into: Buffer, at: number): Promise<Uint8Array> {
  const { bytesRead } = await from.read(into, 0, into.byteLength, at)
  return into.subarray(0, bytesRead)
}
