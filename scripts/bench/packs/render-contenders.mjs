// @ts-check
// The same prompt rendered by us and by others, each in the form it renders fastest. All outputs are compared before anything is timed.
import Handlebars from 'handlebars'
import { parseTemplate } from '../../../dist/core/template/parse.js'
import { renderTemplate } from '../../../dist/core/template/render.js'
import { timePerCall } from '../measuring/measure.mjs'

const PARAGRAPH =
  'Read the whole article before you write. Keep names, numbers and dates exactly as they are written, and never add a fact.'
const NAMES = ['audience', 'tone', 'outlet', 'desk', 'author', 'language', 'deadline', 'length', 'style', 'region']
const TIMES = 2000

const values = {
  ...Object.fromEntries(NAMES.map((name, index) => [name, `value ${index} of ${name}`])),
  facts: Array.from({ length: 20 }, (_, index) => ({ text: `Fact number ${index} with some words to it`, source: `Source ${index}` })),
}

const text = `## OBJECTIVE
${NAMES.map(name => `${PARAGRAPH} The ${name} is {{${name}}}.`).join('\n')}

## FACTS
{{#each facts}}
- {{text}} (according to {{source}})
{{/each}}

## CONSTRAINTS
${PARAGRAPH}
`
/** Mustache has no #each; its sections loop. */
const mustacheText = text
  .replace('{{#each facts}}', '{{#facts}}')
  .replace('{{/each}}', '{{/facts}}')
  .replaceAll(/\{\{(\w+)\}\}/g, '{{{$1}}}')

/** @param {NodeRequire} load */
export async function renderContenders(load) {
  const parsed = parseTemplate(text)
  if (!parsed.ok) throw new Error('the benchmark template does not parse')
  const plain = Handlebars.compile(text, { noEscape: true })
  const escaping = Handlebars.compile(text)
  const Mustache = load('mustache')
  const { Dotprompt } = load('dotprompt')
  const prompt = await new Dotprompt().compile(text)

  const ours = () => renderTemplate(parsed.template, values)
  const expected = /** @type {{ text: string }} */ (ours()).text
  const dotprompt = await prompt({ input: values })
  const outputs = {
    handlebars: plain(values),
    mustache: Mustache.render(mustacheText, values),
    dotprompt: dotprompt.messages[0].content[0].text,
  }
  for (const [name, output] of Object.entries(outputs)) if (output !== expected) throw new Error(`${name} renders something else`)

  return {
    size: expected.length,
    contenders: {
      'onbook, with segments': () => timePerCall(ours, TIMES),
      'handlebars, compiled, noEscape': () => timePerCall(() => plain(values), TIMES),
      'handlebars, compiled, escaping': () => timePerCall(() => escaping(values), TIMES),
      'mustache, parsed': () => timePerCall(() => Mustache.render(mustacheText, values), TIMES),
      'dotprompt, compiled': async () => {
        const started = performance.now()
        for (let done = 0; done < TIMES; done++) await prompt({ input: values })
        return (performance.now() - started) / TIMES
      },
    },
  }
}
