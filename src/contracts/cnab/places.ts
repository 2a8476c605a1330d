/** Where values go: paths and variables that a bundle may use, and those that are the runtime's own. */
import { pointer } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Faults } from '../faults.ts'
import type { Destination } from './bundle.ts'

/** Files and folders that the runtime gives the run tool. */
export const places = {
  run: '/cnab/app/run',
  bundle: '/cnab/bundle.json',
  claim: '/cnab/claim.json',
  relocation: '/cnab/app/relocation-mapping.json',
  imageMap: '/cnab/app/image-map.json',
  outputs: '/cnab/app/outputs',
  dependencies: '/cnab/app/dependencies',
  chandler: '/cnab/app/chandler',
} as const

/** Nothing may be put in their place, below them, or above them. */
const own = Object.values(places)
/** The engine's. */
const ofSystem = ['/dev', '/proc', '/sys']

const variablesMax = 128 * 1024

/** Reads and judges a destination. */
export function destinationOf(
  { env, path }: { readonly env: string | undefined; readonly path: string | undefined },
  at: string,
  faults: Faults,
): Destination {
  const variable = env === undefined || env === '' ? undefined : env
  const file = path === undefined || path === '' ? undefined : absolute(path)
  if (variable !== undefined) judgeVariable(variable, pointer(at, 'env'), faults)
  if (file !== undefined) judgeFile(file, pointer(at, 'path'), faults)
  return {
    ...present({ env: variable, path: file }),
  }
}

/** A relative path is read as if "/" stood before it. */
function absolute(path: string): string {
  return path.startsWith('/') ? path : `/${path}`
}

function judgeVariable(name: string, at: string, faults: Faults): void {
  if (!/^[^=\p{Cc}\p{Cf}\p{Zs}]{1,255}$/u.test(name)) {
    faults.problem('cnab.bundle.invalid', at, 'is no name of an environment variable')
  } else if (name.startsWith('CNAB_P_')) {
    faults.warning('cnab.bundle.questionable', at, `${name} begins as variables of the runtime do`)
  } else if (name.startsWith('CNAB_')) {
    faults.problem('cnab.destination.reserved', at, name)
  }
}

function judgeFile(path: string, at: string, faults: Faults): void {
  if (!isClean(path)) {
    faults.problem('cnab.path.refused', at, `Path ${JSON.stringify(path)} must be an absolute, clean path`)
  } else if (isBelow(path, places.outputs) || path === places.outputs) {
    const detail = `Path ${JSON.stringify(path)} must not be a subpath of "${places.outputs}"`
    faults.problem('cnab.path.refused', at, detail)
  } else if (own.some((one) => path === one || isBelow(path, one) || isBelow(one, path))) {
    faults.problem('cnab.path.refused', at, `${JSON.stringify(path)} is the runtime's own`)
  } else if (ofSystem.some((one) => path === one || isBelow(path, one))) {
    faults.problem('cnab.path.refused', at, `${JSON.stringify(path)} is the system's own`)
  }
}

/** Judges the path of an output. */
export function judgeOutputPath(path: string, at: string, faults: Faults): void {
  if (isClean(path) && isBelow(path, places.outputs)) return
  const detail = `path ${JSON.stringify(path)} must be a clean path under "${places.outputs}/"`
  faults.problem('cnab.path.refused', at, detail)
}

/** Whether one path lies below another. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

/** Whether a text is short enough for the kernel to take as a variable. */
export function fitsVariable(name: string, text: string): boolean {
  return Buffer.byteLength(name) + Buffer.byteLength(text) + 2 <= variablesMax
}

function isClean(path: string): boolean {
  const [root, ...parts] = path.split('/')
  if (root !== '' || Buffer.byteLength(path) > 1024 || /[\p{Cc}\p{Cf}]/u.test(path)) return false
  return parts.every((part) => part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) < 256)
}
