// Troubles of the disk that pass: work that met one is tried again for as long as the process lives. It has not failed.
import { Fault } from '../../errors.ts'

const PASSING: readonly string[] = ['store_full', 'store_busy', 'store_read_only', 'store_failed']

export const isStoreTrouble = (error: unknown): boolean => error instanceof Fault && PASSING.includes(error.code)
