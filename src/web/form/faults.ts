/** What the broker says is wrong, by the place in the form that it is about. */
import type { Problem } from '../../api/problem.ts'
import { present } from '../../kit/present.ts'
import type { Field } from './field.ts'
import { isWithin } from './places.ts'

export interface Fault {
  /** JSON pointer into the value; absent: it is about the order as a whole. */
  readonly place?: string
  /** As the API and the command line say it. */
  readonly sentence: string
  /** What is wrong with the value alone. */
  readonly detail: string
  readonly hint?: string
  readonly code: string
  /** Told at its field only: the sentence of the whole tells it, too. */
  readonly isPart?: true
}

type One = NonNullable<Problem['others']>[number]

/** Every fault of a problem, in its order. */
export function faultsIn(problem: Problem | undefined): readonly Fault[] {
  return problem === undefined
    ? []
    : [problem, ...(problem.others ?? [])].flatMap((one) => [faultOf(one), ...partsOf(one)])
}

function faultOf({ code, title, detail, where, hint }: One): Fault {
  const place = where?.pointer
  const located = [where?.source, place].filter((part) => part !== undefined && part !== '').join(', ')
  const facts = [located, detail].filter((part) => part !== undefined && part !== '').join(': ')
  const plain = title.replace(/\.$/, '')
  return {
    ...(place === undefined || where?.source !== 'parameters' ? {} : { place }),
    sentence: facts === '' ? plain : `${plain}: ${facts}`,
    detail: detail ?? plain,
    ...present({ hint }),
    code,
  }
}

function partsOf({ code, title, places = [], hint }: One): readonly Fault[] {
  return places.map(({ pointer, detail }) => ({
    place: pointer,
    sentence: `${title.replace(/\.$/, '')}: parameters, ${pointer}: ${detail}`,
    detail,
    ...present({ hint }),
    code,
    isPart: true,
  }))
}

/** The faults of a place alone: those of deeper places belong to deeper fields, where there are any. */
export function faultsAt(faults: readonly Fault[], place: string): readonly Fault[] {
  return faults.filter((fault) => fault.place === place)
}

/** Whether something at a place or below it is wrong. */
export function isFaulty(faults: readonly Fault[], place: string): boolean {
  return faults.some((fault) => fault.place !== undefined && isWithin(fault.place, place))
}

/**
 * Each fault moved to the nearest field that the form has for it; those without one are about the whole. A choice says
 * nothing of its other branches while something is wrong within the chosen one.
 */
export function settled(faults: readonly Fault[], fields: readonly Field[]): readonly Fault[] {
  const moved = movedTo(faults, new Set(fields.map(({ place }) => place)))
  const choices = fields
    .filter(({ kind, place }) => kind === 'branch' && place !== '')
    .map(({ place }) => place)
  const isFurther = (place: string) => moved.some((other) => other.place?.startsWith(`${place}/`) === true)
  return moved.filter(({ place }) => place === undefined || !choices.includes(place) || !isFurther(place))
}

function movedTo(faults: readonly Fault[], places: ReadonlySet<string>): readonly Fault[] {
  return faults.map((fault) => {
    let place = fault.place
    while (place !== undefined && place !== '' && !places.has(place)) {
      place = place.slice(0, place.lastIndexOf('/'))
    }
    if (place === fault.place && place !== '') return fault
    const { place: _place, ...rest } = fault
    return place === undefined || place === '' ? rest : { ...rest, place }
  })
}
