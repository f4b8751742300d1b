// Just enough XML to write a report: elements, attributes, text. Whatever the content, the result is well-formed XML 1.0.

/** XML 1.0 §2.2 has no way to say these, not even escaped. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Attributes may be of any text; names are ours and trusted. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: readonly string[] | string = [],
): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeAttribute(String(value))}"`)
  // Not indented: the text inside is somebody's, and stays as it is.
  const inner =
    typeof content === 'string' ? escapeText(content) : content.map(child => `\n${child}`).join('') + (content.length > 0 ? '\n' : '')
  return inner === '' ? `<${name}${pairs.join('')}/>` : `<${name}${pairs.join('')}>${inner}</${name}>`
}

export const xmlDocument = (root: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`

export const allowedText = (text: string): string => text.replace(FORBIDDEN, '')

const escapeText = (text: string): string =>
  // A bare return would be read back as a line feed (§2.11).
  allowedText(text)
    .replace(/[&<>"]/g, character => ENTITIES[character]!)
    .replaceAll('\r', '&#13;')

// Readers turn white space in attributes into blanks (§3.3.3) unless it is spelled as a number.
const escapeAttribute = (text: string): string => escapeText(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')
