// Recognizes temporary disk trouble: the work is retried for as long as the process lives, and does not count as failed.
import { Fault } from '../../errors.ts'

const PASSING: readonly string[] = ['store_full', 'store_busy', 'store_read_only', 'store_failed']

export const isStoreTrouble = (error: unknown): boolean => error instanceof Fault && PASSING.includes(error.code)
