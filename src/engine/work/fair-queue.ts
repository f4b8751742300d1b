// Folder: Queues, retries and deadlines. They do not know the work.
// A queue for long work of many tenants: tenants take turns, so that the work of one does not delay another's. Knows nothing of the work.

export interface FairQueueOptions {
  /** Tasks that run at a time, of all tenants together. */
  readonly lanes: number
  /** Tasks of one tenant that run at a time. */
  readonly lanesPerTenant?: number
  /** Tasks of one tenant that may wait before `admit` refuses it. */
  readonly waitingPerTenant?: number
  /** @param waiting tasks of the tenant */
  readonly refusal?: (waiting: number) => Error
}

export interface FairQueue {
  /** Throws the refusal when too many tasks of the tenant wait. Asked before work that a caller may try again later. */
  admit(tenant: string): void
  run<T>(tenant: string, work: () => Promise<T>): Promise<T>
}

type Task = () => Promise<void>

export function fairQueue({ lanes, lanesPerTenant = lanes, waitingPerTenant = Infinity, refusal }: FairQueueOptions): FairQueue {
  // The order of this map is the order of the turns: a tenant that had its turn goes to the end.
  const waiting = new Map<string, Task[]>()
  const running = new Map<string, number>()
  let total = 0

  const begin = (tenant: string, task: Task): void => {
    total += 1
    running.set(tenant, (running.get(tenant) ?? 0) + 1)
    void task().finally(() => {
      total -= 1
      const left = running.get(tenant)! - 1
      if (left === 0) running.delete(tenant)
      else running.set(tenant, left)
      fill()
    })
  }

  const fill = (): void => {
    for (const [tenant, tasks] of waiting) {
      if (total >= lanes) return
      if ((running.get(tenant) ?? 0) >= lanesPerTenant) continue
      const task = tasks.shift()!
      // A map is walked in order of insertion, also while it changes: this tenant comes again after all others.
      waiting.delete(tenant)
      if (tasks.length > 0) waiting.set(tenant, tasks)
      begin(tenant, task)
    }
  }

  const admit = (tenant: string): void => {
    const tasks = waiting.get(tenant)?.length ?? 0
    if (tasks >= waitingPerTenant) throw refusal?.(tasks) ?? new Error(`${tasks} tasks wait`)
  }

  return {
    admit,
    run: (tenant, work) =>
      new Promise((resolve, reject) => {
        const task = () => work().then(resolve, reject)
        const tasks = waiting.get(tenant)
        if (tasks === undefined) waiting.set(tenant, [task])
        else tasks.push(task)
        fill()
      }),
  }
}
