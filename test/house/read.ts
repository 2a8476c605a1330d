/** The house as it stands in the working folder, and all its faults. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { judgeCodes } from './judge-codes.ts'
import { judgeImports } from './judge-imports.ts'
import { judgeTexts } from './judge-texts.ts'
import { type Fault, type House, readMap } from './rules.ts'

export function readHouse(): House {
  const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path)
  const source = sourcesIn('src')
  const tests = [...source.filter(isTest), ...sourcesIn('test')]
  return {
    files: new Map(
      source
        .filter((path) => !isTest(path))
        .map((path) => [path.slice('src/'.length), readFileSync(path, 'utf8')]),
    ),
    tests: tests.map((path) => readFileSync(path, 'utf8')),
    map: readMap(readFileSync('ARCHITECTURE.md', 'utf8'), readFileSync('GLOSSARY.md', 'utf8')),
  }
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

export function judgeHouse(house: House): readonly Fault[] {
  return [...judgeImports(house), ...judgeTexts(house), ...judgeCodes(house)]
}
