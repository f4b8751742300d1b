// Turns a missing or damaged object into null, so that a diff can still report the rest. Other faults pass through.
import { Fault } from '../../errors.ts'

/** Null when the object is missing or damaged; `verify` reports the reason. */
export async function unlessErased<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Fault && (error.code === 'object_missing' || error.code === 'object_corrupt')) return null
    throw error
  }
}
