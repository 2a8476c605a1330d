/** A form on a page: its state, kept through reloads, and what the broker says of it while one types. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { DryRun } from '../../api/instance.ts'
import type { Problem } from '../../api/problem.ts'
import type { JsonObject } from '../../kit/json.ts'
import { type Fault, faultsIn, settled } from '../form/faults.ts'
import { everyField, type Field, secretPlaces } from '../form/field.ts'
import { forgetForm, keepForm, keptForm } from '../form/keep.ts'
import { isWithin } from '../form/places.ts'
import { after, beginForm, type Deed, type FormPlan, type FormState, fieldsOf } from '../form/state.ts'
import type { Answered } from '../send.ts'
import { idOf } from './around.ts'

export interface Filling {
  readonly plan: FormPlan
  readonly state: FormState
  readonly root: Field
  readonly secrets: readonly string[]
  /** Those that may be told already: of what was touched, or of everything once an order was tried. */
  readonly faults: readonly Fault[]
  readonly isFine: boolean
  /** Why the broker could not be asked. */
  readonly unchecked: string | undefined
  /** Whether there is text that cannot be read. */
  readonly isBroken: boolean
  act(deed: Deed): void
  setBroken(isBroken: boolean): void
  /** The order was refused: everything is told, and the focus goes to the first fault. */
  refuse(problem: Problem): void
  startOver(): void
  /** The order was taken. */
  forget(): void
}

interface Wish {
  /** Names the form among those kept in this window. */
  readonly key: string
  readonly plan: FormPlan
  readonly given?: JsonObject
  /** Asks the broker; absent: the person may not order. */
  readonly check: ((value: JsonObject, signal: AbortSignal) => Promise<Answered<DryRun>>) | undefined
}

const pauseMs = 400

type Verdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'fine' }
  | { readonly kind: 'faults'; readonly faults: readonly Fault[] }
  | { readonly kind: 'unreachable'; readonly why: string }

export function useFilling({ key, plan, given, check }: Wish): Filling {
  const [state, setState] = useState(() => keptForm(sessionStorage, key) ?? beginForm(plan, given))
  const [verdict, setVerdict] = useState<Verdict>({ kind: 'none' })
  const [isBroken, setBroken] = useState(false)
  const [isTried, setTried] = useState(false)
  const touched = useRef(new Set<string>())
  const root = useMemo(() => fieldsOf(plan, state), [plan, state])
  const secrets = useMemo(() => secretPlaces(root), [root])
  useChecking(check, state.value, setVerdict)
  const all = useMemo(() => {
    return verdict.kind === 'faults' ? settled(verdict.faults, [...everyField(root)]) : []
  }, [root, verdict])
  const change = (next: FormState): void => {
    setState(next)
    keepForm(sessionStorage, key, next, secretPlaces(fieldsOf(plan, next)))
  }
  return {
    plan,
    state,
    root,
    secrets,
    faults: isTried
      ? all
      : all.filter(({ place }) => place !== undefined && isTouched(touched.current, place)),
    isFine: verdict.kind === 'fine',
    unchecked: verdict.kind === 'unreachable' ? verdict.why : undefined,
    isBroken: isBroken || Object.keys(state.texts).length > 0,
    setBroken,
    act: (deed) => {
      if ('place' in deed) touched.current.add(deed.place)
      change(after(plan, state, deed))
    },
    refuse: (problem) => {
      setVerdict({ kind: 'faults', faults: faultsIn(problem) })
      setTried(true)
      setTimeout(() => focusFirst(root, faultsIn(problem)))
    },
    startOver: () => {
      touched.current.clear()
      setTried(false)
      forgetForm(sessionStorage, key)
      setState(beginForm(plan, given))
    },
    forget: () => forgetForm(sessionStorage, key),
  }
}

/** Asks the broker when nothing was typed for a moment. */
function useChecking(check: Wish['check'], value: JsonObject, setVerdict: (verdict: Verdict) => void): void {
  useEffect(() => {
    if (check === undefined) return
    const left = new AbortController()
    const ask = async (): Promise<void> => {
      const answered = await check(value, left.signal)
      if (left.signal.aborted) return
      if (answered.kind === 'refused') setVerdict({ kind: 'unreachable', why: answered.problem.message })
      else if (answered.value.accepted) setVerdict({ kind: 'fine' })
      else setVerdict({ kind: 'faults', faults: faultsIn(answered.value.problem) })
    }
    const timer = setTimeout(() => void ask(), pauseMs)
    return () => {
      clearTimeout(timer)
      left.abort()
    }
  }, [value])
}

function isTouched(touched: ReadonlySet<string>, place: string): boolean {
  return [...touched].some((one) => isWithin(place, one) || isWithin(one, place))
}

/** Puts the focus on the first field that something is wrong with, else on the list of faults. */
export function focusFirst(root: Field, faults: readonly Fault[]): void {
  const fields = [...everyField(root)]
  const wrong = settled(faults, fields)
  const first = fields.find((field) => field.place !== '' && wrong.some(({ place }) => place === field.place))
  const control = document.getElementById(first === undefined ? 'faults' : idOf(first.place))
  control?.focus()
}
