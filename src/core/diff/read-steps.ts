// Parses a pair of steps of a node: `1..2`, or with visits `1.2..2.1`.

export interface StepPlace {
  /** Without it, that of the other; without both, the newest that has both. */
  readonly visit?: number | undefined
  readonly step: number
}

const NUMBER = '[1-9]\\d{0,8}'
const STEPS = new RegExp(`^(?:(${NUMBER})\\.)?(${NUMBER})\\.\\.(?:(${NUMBER})\\.)?(${NUMBER})$`)

export function readSteps(text: string): readonly [StepPlace, StepPlace] | null {
  const [, visitA, stepA, visitB, stepB] = STEPS.exec(text) ?? []
  if (stepA === undefined || stepB === undefined) return null
  const placeOf = (visit: string | undefined, step: string): StepPlace => ({
    visit: visit === undefined ? undefined : Number(visit),
    step: Number(step),
  })
  return [placeOf(visitA, stepA), placeOf(visitB, stepB)]
}
