/** The documents a spiff command reads: files, and standard input once. */
import { existsSync, readFileSync } from 'node:fs'
import { localLimits, type ParsedSource, parseSpiff, type SourceText } from '../../languages/spiff/index.ts'
import { fail } from '../../model/problem.ts'
import { failed } from './faults.ts'
import { fetchUrl } from './local.ts'

export class Documents {
  private readonly texts = new Map<string, SourceText>()

  /** A file, an http: or https: address, or standard input for `-`. */
  text(name: string): SourceText {
    const known = this.texts.get(name)
    if (known !== undefined && name === '-')
      return fail('usage.invalid', 'standard input cannot be read twice', {
        hint: 'Name a file for one of both.',
      })
    if (known !== undefined) return known
    const source = { name, text: readText(name) }
    this.texts.set(name, source)
    return source
  }

  /** A file that need not be there yet. */
  optional(name: string): SourceText | undefined {
    return existsSync(name) ? this.text(name) : undefined
  }

  parsed(name: string): ParsedSource {
    const parsed = parseSpiff(this.text(name), localLimits)
    return parsed.kind === 'failed' ? failed(parsed.fault) : parsed
  }
}

function readText(name: string): string {
  if (/^https?:/.test(name)) return new TextDecoder().decode(fetchUrl(name))
  try {
    return readFileSync(name === '-' ? 0 : name, 'utf8')
  } catch (error) {
    return fail('spiff.document.unreadable', error instanceof Error ? error.message : undefined, {
      where: { source: name },
      hint: 'Name a file that exists, or - for standard input.',
    })
  }
}
