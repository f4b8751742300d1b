// Measures the age of an answer with two clocks, and takes the greater result: a wall clock can be set back, a steady one can stop while the machine
// sleeps.

export interface Instant {
  readonly wall: number
  readonly steady: number
}

export const instant = (): Instant => ({ wall: Date.now(), steady: performance.now() })

export const ageOf = ({ wall, steady }: Instant): number => Math.max(0, Date.now() - wall, performance.now() - steady)
