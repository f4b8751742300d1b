// Several validators that tenants share: each tenant uses one at a time, so that a schema that hangs delays only its own tenant.
import type { Validator } from '../../ports.ts'
import { fairQueue } from './fair-queue.ts'

/** @param open makes another validator, when one is needed; at most `most` are open */
export function fairValidator(open: () => Validator, most: number): Validator {
  const queue = fairQueue({ lanes: most, lanesPerTenant: 1 })
  const all: Validator[] = []
  const free: Validator[] = []

  const take = (): Validator => {
    const validator = free.pop()
    if (validator !== undefined) return validator
    const another = open()
    all.push(another)
    return another
  }
  const forTenant = (tenant: string): Pick<Validator, 'ask'> => ({
    ask: (schemas, questions) =>
      queue.run(tenant, async () => {
        const validator = take()
        try {
          return await validatorOf(validator, tenant).ask(schemas, questions)
        } finally {
          free.push(validator)
        }
      }),
  })
  return {
    ask: forTenant('').ask,
    forTenant,
    async close() {
      await Promise.all(all.map(validator => validator.close()))
    },
  }
}

export const validatorOf = (validator: Validator, tenant: string): Pick<Validator, 'ask'> => validator.forTenant?.(tenant) ?? validator
