import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { preludeValid } from './rule.ts'

const PACK = 'prompts/packs/default.json'
const base = { 'prompts/templates/base.md': 'You write for {{outlet}}.\n' }
const composed = (fields: object) => ({ [PACK]: { id: 'default', templates: ['base.md'], values: { outlet: 'the Echo' }, ...fields } })

testLayoutRule(preludeValid, {
  accepts: [
    { why: 'messages as they are sent', files: { [PACK]: [{ role: 'system', content: 'Hello.' }] } },
    {
      why: 'templates, text, an image and a schema from elsewhere',
      files: {
        ...base,
        ...composed({ context: ['context/docs/style.md', 'context/images/logo.PNG'], options: { responseFormat: 'schemas/answer.json' } }),
        'context/docs/style.md': 'Short.',
        'context/images/logo.PNG': null,
        'schemas/answer.json': { type: 'object' },
      },
    },
    { why: 'a template that no prelude uses may have values later', files: base },
    { why: 'files elsewhere', files: { 'prompts/packs/old/x.json': 'no JSON', 'prompts/templates/notes.txt': '{{' } },
  ],
  rejects: [
    {
      why: 'no JSON, and no message',
      files: { 'prompts/packs/a.json': '[\n  {"role":]', 'prompts/packs/b.json': [{ role: 'user', content: 'x' }, {}] },
      problems: [
        'prompts/packs/a.json:2:11 It is not JSON: unexpected "]"',
        'prompts/packs/b.json:6:3 It must be a message: an object with one of role, content, type, tool_calls, output, tool_call_id, call_id',
      ],
    },
    {
      why: 'files that are not there, each where it is named',
      files: {
        ...base,
        ...composed({
          templates: ['bsae.md', { path: 'prompts/templates/x.md', role: 'user' }],
          context: ['context/docs/style.md', '../secrets'],
          options: { responseFormat: 'schemas/answer.json' },
        }),
      },
      problems: [
        `${PACK}:4:5 There is no prompts/templates/bsae.md`,
        `${PACK}:5:5 There is no prompts/templates/x.md`,
        `${PACK}:14:5 There is no context/docs/style.md`,
        `${PACK}:15:5 "../secrets" is not a path in a workspace`,
        `${PACK}:18:23 There is no schemas/answer.json`,
      ],
      suggestions: ['did you mean "prompts/templates/base.md"?', 'did you mean "prompts/templates/base.md"?', '', '', ''],
    },
    {
      why: 'an image of unknown type',
      files: { ...base, ...composed({ context: ['context/images/plan.bmp'] }), 'context/images/plan.bmp': null },
      problems: [`${PACK}:10:5 context/images/plan.bmp is neither text in UTF-8 nor an image (png, jpeg, gif, webp)`],
    },
    {
      why: 'a template without its value, once for two preludes',
      files: {
        'prompts/templates/base.md': 'You write.\nFor {{outlet}}.\n',
        [PACK]: { id: 'default', templates: ['base.md'] },
        'prompts/packs/other.json': { id: 'other', templates: ['base.md'] },
      },
      problems: ['prompts/templates/base.md:2:5 "outlet" has no value'],
    },
    {
      why: 'a template that does not parse, used or not',
      files: { 'prompts/templates/a.md': 'one\n{{#if x}}', [PACK]: { id: 'd', templates: ['a.md'] }, 'prompts/templates/b.md': '{{/if}}' },
      problems: ['prompts/templates/a.md:2:1 {{#if}} is never closed: write {{/if}}', 'prompts/templates/b.md:1:1 {{/if}} closes nothing'],
    },
    {
      why: 'an option that is none',
      files: { ...base, ...composed({ options: { temprature: 1 } }) },
      problems: [
        `${PACK}:10:19 There is no option "temprature": there is temperature, topP, maxTokens, reasoningEffort, stopSequences, toolChoice, responseFormat`,
      ],
    },
  ],
})
