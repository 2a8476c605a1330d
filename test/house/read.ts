/** The house as it stands in the working folder, and all its faults. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { judgeImports } from './judge-imports.ts'
import { judgeTexts } from './judge-texts.ts'
import { type Fault, type House, readMap } from './rules.ts'

export function readHouse(): House {
  const found = readdirSync('src', { recursive: true, withFileTypes: true })
  const paths = found
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  return {
    files: new Map(paths.map((path) => [path.slice('src/'.length), readFileSync(path, 'utf8')])),
    map: readMap(readFileSync('ARCHITECTURE.md', 'utf8'), readFileSync('GLOSSARY.md', 'utf8')),
  }
}

export function judgeHouse(house: House): readonly Fault[] {
  return [...judgeImports(house), ...judgeTexts(house)]
}
