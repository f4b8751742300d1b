// JSON pointers (RFC 6901): lists of keys inside the product, text outside.

export type Pointer = readonly (string | number)[]

export const pointerText = (pointer: Pointer): string =>
  pointer.map(part => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Digits become numbers, so that a list's items are found by index. */
export const parsePointer = (text: string): Pointer =>
  text
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map(part => (/^(?:0|[1-9]\d{0,8})$/.test(part) ? Number(part) : part))
