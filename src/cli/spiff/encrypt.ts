/** chandler spiff encrypt: the legacy encryption of documents, as the functions encrypt and decrypt of the language have it. */
import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { openText, sealText } from '../../languages/spiff/index.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { print } from '../terminal.ts'
import { Documents } from './documents.ts'

const method = '3DES'

export function addEncrypt(spiff: Command): void {
  add(spiff, {
    usage: 'encrypt <file> [password] [method]',
    summary: 'Encrypt a document, or decrypt one',
    description:
      'Without a password SPIFF_ENCRYPTION_KEY is taken, which other users of the machine do not see. The only method is 3DES; it is weak, and there for what was encrypted before.',
    examples: ['spiff encrypt secret.yml', 'spiff encrypt -d secret.hex'],
    aliases: ['e'],
  })
    .option('-d, --decrypt', 'decrypt')
    .action(
      (
        file: string,
        password: string | undefined,
        asked: string | undefined,
        flags: { readonly decrypt?: true },
      ) => {
        const documents = new Documents()
        const key = keyOf(password, asked)
        if (flags.decrypt) print(opened(documents.text(file).text, key, file))
        else {
          documents.parsed(file)
          print(sealText(documents.text(file).text, key, new Uint8Array(randomBytes(8))))
        }
      },
    )
}

/** One word alone may be the method. */
function keyOf(word: string | undefined, asked: string | undefined): string {
  const isMethod = asked === undefined && word === method
  if (asked !== undefined && asked !== method)
    return fail('usage.invalid', `there is no encryption method "${asked}"`, { hint: `Use ${method}.` })
  const key = isMethod || word === undefined ? process.env['SPIFF_ENCRYPTION_KEY'] : word
  if (key !== undefined && key !== '') return key
  return fail('usage.invalid', 'the encryption key is empty', {
    hint: 'Set SPIFF_ENCRYPTION_KEY, or name a password.',
  })
}

function opened(text: string, key: string, source: string): string {
  const found = openText(text.trim(), key)
  if ('text' in found) return found.text
  return fail('spiff.document.unreadable', found.fault, {
    where: { source },
    hint: 'Use the password that it was encrypted with.',
  })
}
