// Makes text from files and models safe to print: visible symbols replace characters that a terminal would act on or hide.

// Joiners and variation selectors stay: emoji and several scripts need them, and cells.ts shows the detached ones.
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?!\u034f|\u200c|\u200d|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}])\p{Default_Ignorable_Code_Point}/gu

/** Always one line: a line break becomes a symbol too. A record of another host may have any value where a text is expected. */
export const visible = (text: string): string => String(text).replace(UNSAFE, symbolOf)

/** The lines of a text, each of them safe; line breaks and tabs keep their meaning. */
export const visibleLines = (text: string): readonly string[] => text.split(/\r?\n/).map(line => visible(line.replaceAll('\t', '  ')))

/** An error message, on as many lines as it has. */
export const faultText = ({ message }: Error): string => `onbook: ${message.split('\n').map(visible).join('\n')}\n`

export function symbolOf(character: string): string {
  const code = character.codePointAt(0)!
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7f) return '␡'
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd'
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}

/** A terminal acts on these too, or reorders text by them, and JSON may contain them unescaped. */
const CONTROLS = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The same JSON value, with these characters escaped. */
export const safeJson = (json: string): string => json.replace(CONTROLS, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Cuts a long text, so that it does not bury the report. Counts UTF-16 units and never splits a pair. */
export function clip(text: string, length = 1000): string {
  if (text.length <= length) return text
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`
}
