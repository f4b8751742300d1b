// Tests the XML writer: escapes, forbidden characters, nesting.
import { expect, it } from 'vitest'
import { element } from './xml.ts'

it('escapes what would be markup, and spells white space that a reader would change as numbers', () => {
  expect(element('a', { b: '<&>"\t\n\r' }, '<&>"\t\n\r ]]>')).toBe(
    '<a b="&lt;&amp;&gt;&quot;&#9;&#10;&#13;">&lt;&amp;&gt;&quot;\t\n&#13; ]]&gt;</a>',
  )
})

it('drops what XML cannot say', () => expect(element('a', { b: '\0x\u001b' }, 'y\ud800\uffff😀')).toBe('<a b="x">y😀</a>'))

it('nests', () => expect(element('a', {}, [element('b', {}), element('c', {}, '')])).toBe('<a>\n<b/>\n<c/>\n</a>'))
