/** Unpacks one layer: decompressed, hashed and written in one pass, refused when it is not what its image says. */
import { fail, ProblemError } from '../../model/problem.ts'
import { decompressed } from '../archive/decompress.ts'
import { tarParser } from '../archive/tar-parser.ts'
import { hashFor, splitDigest } from '../digest.ts'
import type { LayerNotes, LayerOrder } from './layer-order.ts'
import { LayerWriter } from './layer-writer.ts'

/** Unpacks a layer into the folder of the order. Problems: archive.*, artifact.altered, artifact.unwritable. */
export async function unpackLayer(order: LayerOrder): Promise<LayerNotes> {
  const writer = new LayerWriter(order)
  try {
    const parser = tarParser(writer)
    const hash = hashFor(order.diffId)
    for await (const chunk of decompressed(order.blob, order.compression, order.limits)) {
      hash.update(chunk)
      parser.push(chunk)
    }
    parser.finish()
    const found = hash.digest('hex')
    if (found !== splitDigest(order.diffId).hex) {
      fail('artifact.altered', `the layer unpacks to sha256:${found}, its image says ${order.diffId}`)
    }
    return writer.finish()
  } catch (error) {
    throw asProblem(error)
  } finally {
    writer.abandon()
  }
}

function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  return new ProblemError({ code: 'artifact.unwritable', detail: code === '' ? message : code, cause: error })
}
