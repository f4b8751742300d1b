// Minimal XML writer: elements, attributes, text. The result is well-formed XML 1.0 for any content.

/** XML 1.0 §2.2 cannot represent these, not even escaped. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Attribute values may be any text; element names are ours and trusted. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: readonly string[] | string = [],
): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeAttribute(String(value))}"`)
  // Not indented: text content must stay unchanged.
  const inner =
    typeof content === 'string' ? escapeText(content) : content.map(child => `\n${child}`).join('') + (content.length > 0 ? '\n' : '')
  return inner === '' ? `<${name}${pairs.join('')}/>` : `<${name}${pairs.join('')}>${inner}</${name}>`
}

export const xmlDocument = (root: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`

export const allowedText = (text: string): string => text.replace(FORBIDDEN, '')

const escapeText = (text: string): string =>
  // A bare carriage return would be read back as a line feed (§2.11).
  allowedText(text)
    .replace(/[&<>"]/g, character => ENTITIES[character]!)
    .replaceAll('\r', '&#13;')

// Parsers normalise white space in attributes to blanks (§3.3.3) unless it is a character reference.
const escapeAttribute = (text: string): string => escapeText(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')
