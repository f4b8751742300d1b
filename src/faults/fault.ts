// One way to fail: the status over HTTP, and what is said. The details are what a program reads.

export interface Spec<D> {
  readonly status: number
  readonly say: (details: D) => string
}

export const fault = <D>(status: number, say: (details: D) => string): Spec<D> => ({ status, say })
