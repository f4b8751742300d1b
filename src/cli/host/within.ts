// Limits how long a command waits.

/** Whether the work ended in time. */
export function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(() => resolve(false), ms)
  })
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer))
}
