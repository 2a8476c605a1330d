/** Mistakes in the folder of a pattern that no text shows: modes, links, files that are not there, encodings. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Spoilt {
  readonly title: string
  spoil(folder: string): void
  /** The file that is told. */
  readonly told: string
  readonly line?: number
  readonly says: RegExp
  readonly fix: RegExp
}

function encoded(file: string, encoding: 'latin1' | 'utf16le', before: string, after: string) {
  return (folder: string): void => {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8').replace(before, after)
    writeFileSync(path, Buffer.from(text, encoding))
  }
}

/** A program of another kind of C library: its loader is not in the image. */
function foreignProgram(): Buffer {
  const loader = '/lib/ld-musl-x86_64.so.1'
  const bytes = Buffer.alloc(200)
  bytes.write('\u007fELF', 'latin1')
  bytes.set([2, 1, 1], 4)
  bytes.writeBigUInt64LE(64n, 32)
  bytes.writeUInt16LE(56, 54)
  bytes.writeUInt16LE(1, 56)
  bytes.writeUInt32LE(3, 64)
  bytes.writeBigUInt64LE(120n, 72)
  bytes.writeBigUInt64LE(BigInt(loader.length), 96)
  bytes.write(loader, 120, 'latin1')
  return bytes
}

export const spoilt: readonly Spoilt[] = [
  {
    title: 'the program is not executable',
    spoil: (folder) => chmodSync(join(folder, 'root/pattern'), 0o644),
    told: 'root/pattern',
    says: /not executable/,
    fix: /chmod 755/,
  },
  {
    title: 'the program may be run by root only',
    spoil: (folder) => chmodSync(join(folder, 'root/pattern'), 0o700),
    told: 'root/pattern',
    says: /user 1000 may not run it/,
    fix: /chmod 755/,
  },
  {
    title: 'the document may be read by root only',
    spoil: (folder) => chmodSync(join(folder, 'root/metadata.yml'), 0o600),
    told: 'root/metadata.yml',
    says: /user 1000 may not read it/,
    fix: /chmod a\+r/,
  },
  {
    title: 'the program is not there',
    spoil: (folder) => rmSync(join(folder, 'root/pattern')),
    told: 'image.yml',
    line: 1,
    says: /no \/pattern/,
    fix: /below root/,
  },
  {
    title: 'the program lies in another folder',
    spoil: (folder) => {
      mkdirSync(join(folder, 'root/opt'))
      renameSync(join(folder, 'root/pattern'), join(folder, 'root/opt/pattern'))
    },
    told: 'image.yml',
    line: 1,
    says: /no \/pattern/,
    fix: /Write \/opt\/pattern/,
  },
  {
    title: 'the program is a link to nothing',
    spoil: (folder) => {
      rmSync(join(folder, 'root/pattern'))
      symlinkSync('/opt/pattern', join(folder, 'root/pattern'))
    },
    told: 'image.yml',
    line: 1,
    says: /no \/pattern/,
    fix: /below root/,
  },
  {
    title: 'the program is a folder',
    spoil: (folder) => {
      rmSync(join(folder, 'root/pattern'))
      mkdirSync(join(folder, 'root/pattern'))
    },
    told: 'image.yml',
    line: 1,
    says: /is a folder/,
    fix: /Name a program in it/,
  },
  {
    title: 'the program needs a loader that is not there',
    spoil: (folder) => writeFileSync(join(folder, 'root/pattern'), foreignProgram()),
    told: 'root/pattern',
    says: /needs the loader \/lib\/ld-musl/,
    fix: /statically/,
  },
  {
    title: 'the document is not there',
    spoil: (folder) => rmSync(join(folder, 'root/metadata.yml')),
    told: 'root/pattern',
    line: 10,
    says: /no \/metadata\.yml/,
    fix: /below root/,
  },
  {
    title: 'the document is in Latin-1',
    spoil: encoded('root/metadata.yml', 'latin1', 'Ben', 'Bj\u00f6rn'),
    told: 'root/metadata.yml',
    line: 15,
    says: /not UTF-8/,
    fix: /Save it as UTF-8/,
  },
  {
    title: 'the document is in UTF-16',
    spoil: encoded('root/metadata.yml', 'utf16le', 'pattern', '\ufeffpattern'),
    told: 'root/metadata.yml',
    line: 1,
    says: /not UTF-8/,
    fix: /Save it as UTF-8/,
  },
  {
    title: 'files lie where an operation finds its own',
    spoil: (folder) => {
      mkdirSync(join(folder, 'root/tweed'))
      writeFileSync(join(folder, 'root/tweed/notes.txt'), 'x')
    },
    told: 'root/tweed',
    says: /\/tweed\/notes\.txt/,
    fix: /Move them/,
  },
  {
    title: 'there is no root folder',
    spoil: (folder) => renameSync(join(folder, 'root'), join(folder, 'rootfs')),
    told: 'image.yml',
    line: 2,
    says: /no folder root/,
    fix: /rootfs/,
  },
]
