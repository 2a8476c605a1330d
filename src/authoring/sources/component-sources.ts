/** The sources of component versions: which of them is the package, and in which file stands what is told of a resource. */
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type Construction, readConstructor } from '../../artifacts/ocm/constructor.ts'
import { nearest } from '../../kit/text.ts'
import { apart, fail, type Problem } from '../../model/problem.ts'

const packageType = 'toiPackage'

/** The component with a package, and its version. Problems: package.invalid. */
export function packageComponent(constructions: readonly Construction[], file: string): string {
  const found = constructions.find(({ resources }) => resources.some(({ type }) => type === packageType))
  if (found !== undefined) return `${found.name}:${found.version}`
  for (const { resources, place } of constructions)
    for (const { at, type } of resources)
      if (nearest(type, [packageType, 'toiExecutor']) === packageType)
        return fail(
          'package.invalid',
          `${type} is not the type of a package; did you mean "${packageType}"?`,
          {
            where: place(`${at}/type`),
            hint: `Write "${packageType}" instead.`,
          },
        )
  return fail('package.invalid', `no component has a resource of type ${packageType}`, {
    where: { source: file, line: 1 },
    hint: `Add the package to the resources: {name: package, type: ${packageType}, input: {type: file, path: package.yaml}}`,
  })
}

/** What is told of resources and references, told of the files that they are written in. */
export function inSources(problems: readonly Problem[], file: string): readonly Problem[] {
  const constructions = constructionsIn(file)
  const files = filesOf(constructions)
  const folder = `${dirname(file)}/`
  return problems
    .flatMap((problem) => apart(problem))
    .map((problem) => {
      const { source = '' } = problem.where ?? {}
      const own = source.startsWith(folder) ? source.slice(folder.length) : undefined
      const path = own ?? files.get(source)
      if (path !== undefined) return { ...problem, where: { ...problem.where, source: path } }
      return problem.code === 'ocm.reference.unresolved' ? unresolved(problem, constructions) : problem
    })
}

function constructionsIn(file: string): readonly Construction[] {
  try {
    return readConstructor(readFileSync(file, 'utf8'), basename(file), undefined)
  } catch {
    // What is wrong with it is told by the build.
    return []
  }
}

/** The files of resources by their names; a name that two components give to different files says nothing. */
function filesOf(constructions: readonly Construction[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const seen = new Set<string>()
  for (const { name, from } of constructions.flatMap(({ resources }) => resources)) {
    const { type, path } = from.spec
    if (seen.has(name)) files.delete(name)
    else if (from.kind === 'input' && type === 'file' && typeof path === 'string') files.set(name, path)
    seen.add(name)
  }
  return files
}

/** A reference that leads nowhere, with the component or the version that there is. */
function unresolved(problem: Problem, constructions: readonly Construction[]): Problem {
  for (const { references, place } of constructions)
    for (const { at, componentName, version } of references) {
      if (problem.detail?.startsWith(`${componentName}:${version},`) !== true) continue
      const own = constructions.find(({ name }) => name === componentName)
      if (own !== undefined)
        return { ...problem, where: place(`${at}/version`), hint: `Write version: ${own.version}` }
      const meant = nearest(
        componentName,
        constructions.map(({ name }) => name),
      )
      const hint =
        meant === undefined
          ? 'Add the component to the constructor, or name a repository that has it with --lookup.'
          : `Write "${meant}" instead.`
      return { ...problem, where: place(`${at}/componentName`), hint }
    }
  return problem
}
