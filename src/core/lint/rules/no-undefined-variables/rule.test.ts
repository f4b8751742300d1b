import { testRule } from '../../../../testing/rules/test-rule.ts'
import { noUndefinedVariables } from './rule.ts'

const undeclared = (place: string, name: string) => `systemPrompt ${place} "${name}" is used but not declared`
const list = { name: 'items', type: 'array' }

testRule(noUndefinedVariables, {
  accepts: [
    { why: 'no variables at all', pack: { systemPrompt: 'Say hello.' } },
    { why: 'declared', pack: { systemPrompt: 'Hi {{who}}', variables: ['who'] } },
    { why: 'a field of a declared object', pack: { systemPrompt: '{{user.name}}', variables: [{ name: 'user', type: 'object' }] } },
    {
      why: 'an item and its fields, whose shape nobody declares',
      pack: { systemPrompt: '{{#each items}}{{this}}{{name}}{{this.x}}{{./y}}{{/each}}', variables: [list] },
    },
    {
      why: 'loop data inside a loop',
      pack: { systemPrompt: '{{#each items}}{{@index}}{{@key}}{{@first}}{{@last}}{{/each}}', variables: [list] },
    },
    {
      why: 'loop data of the loop around',
      pack: { systemPrompt: '{{#each items}}{{#each this}}{{@../index}}{{/each}}{{/each}}', variables: [list] },
    },
    { why: '../ to a declared name', pack: { systemPrompt: '{{#each items}}{{../who}}{{/each}}', variables: [list, 'who'] } },
    {
      why: '../ inside #if climbs out of the loop, because #if adds no level',
      pack: { systemPrompt: '{{#each items}}{{#if this}}{{../who}}{{/if}}{{/each}}', variables: [list, 'who'] },
    },
    { why: '@root from anywhere', pack: { systemPrompt: '{{#each items}}{{@root.who}}{{/each}}', variables: [list, 'who'] } },
    {
      why: 'block parameters, also in nested blocks',
      pack: { systemPrompt: '{{#each items as |item i|}}{{#each item}}{{item.name}} {{i}}{{/each}}{{/each}}', variables: [list] },
    },
    {
      why: '#with and its parameter',
      pack: { systemPrompt: '{{#with user as |u|}}{{u.name}} {{name}}{{/with}}', variables: [{ name: 'user', type: 'object' }] },
    },
    { why: 'the built-in lists', pack: { systemPrompt: '{{#each constraints}}{{this}}{{/each}}{{#each refusalRules}}{{this}}{{/each}}' } },
    { why: 'this for all values together', pack: { systemPrompt: '{{this}} {{.}}' } },
    { why: 'comments, escapes and literal braces', pack: { systemPrompt: '{{! who }} {{!-- {{who}} --}} \\{{who}} { {who} }' } },
    {
      why: 'else branches of a loop see the level around it',
      pack: { systemPrompt: '{{#each items}}{{x}}{{else}}{{who}}{{/each}}', variables: [list, 'who'] },
    },
    { why: 'a prompt that does not parse is the business of template-syntax', pack: { systemPrompt: '{{who}} {{#if}}' } },
    {
      why: 'a variable whose declaration is broken otherwise',
      pack: { systemPrompt: '{{who}}', variables: [{ name: 'who', type: 'text' }] },
    },
    { why: 'variables that are no list: nobody can say what is declared', pack: { systemPrompt: '{{who}}', variables: { who: 'string' } } },
  ],
  rejects: [
    {
      why: 'a typo',
      pack: { systemPrompt: 'Hi {{hwo}}', variables: ['who'] },
      problems: [undeclared('1:6', 'hwo')],
      suggestions: ['did you mean "who"?'],
    },
    {
      why: 'nothing like it',
      pack: { systemPrompt: '{{who}}' },
      problems: [undeclared('1:3', 'who')],
      suggestions: ['declare it under variables'],
    },
    { why: 'capitals matter', pack: { systemPrompt: '{{Who}}', variables: ['who'] }, problems: [undeclared('1:3', 'Who')] },
    {
      why: 'each use is its own problem',
      pack: { systemPrompt: '{{a}}\n {{a}}' },
      problems: [undeclared('1:3', 'a'), undeclared('2:4', 'a')],
    },
    {
      why: 'triple braces, ampersand, white space control',
      pack: { systemPrompt: '{{{a}}}{{&b}}{{~ c ~}}' },
      problems: [undeclared('1:4', 'a'), undeclared('1:11', 'b'), undeclared('1:18', 'c')],
    },
    { why: 'the head of a path', pack: { systemPrompt: '{{user.name}}' }, problems: [undeclared('1:3', 'user')] },
    {
      why: 'subjects of blocks',
      pack: { systemPrompt: '{{#if a}}{{else if b}}{{/if}}{{#each c}}{{/each}}{{#unless d}}{{/unless}}{{#with e}}{{/with}}' },
      problems: [
        undeclared('1:7', 'a'),
        undeclared('1:20', 'b'),
        undeclared('1:38', 'c'),
        undeclared('1:60', 'd'),
        undeclared('1:82', 'e'),
      ],
    },
    {
      why: 'both branches',
      pack: { systemPrompt: '{{#if who}}{{a}}{{else}}{{b}}{{/if}}', variables: ['who'] },
      problems: [undeclared('1:14', 'a'), undeclared('1:27', 'b')],
    },
    {
      why: '../ to a name that nobody declares',
      pack: { systemPrompt: '{{#each items}}{{../who}}{{/each}}', variables: [list] },
      problems: [undeclared('1:18', 'who')],
    },
    {
      why: '@root to a name that nobody declares',
      pack: { systemPrompt: '{{#each items}}{{@root.who}}{{/each}}', variables: [list] },
      problems: [undeclared('1:18', 'who')],
    },
    {
      why: 'a block parameter outside its block',
      pack: { systemPrompt: '{{#each items as |item|}}{{/each}}{{item}}', variables: [list] },
      problems: [undeclared('1:37', 'item')],
    },
    {
      why: 'climbing above the outermost level',
      pack: { systemPrompt: '{{../who}}', variables: ['who'] },
      problems: ['systemPrompt 1:3 ../ climbs above the outermost level'],
    },
    {
      why: 'loop data outside any loop',
      pack: { systemPrompt: '{{@index}} {{#if who}}{{@first}}{{/if}}', variables: ['who'] },
      problems: ['systemPrompt 1:3 @index is outside any #each', 'systemPrompt 1:25 @first is outside any #each'],
    },
    {
      why: 'loop data of a loop that is not there',
      pack: { systemPrompt: '{{#each items}}{{@../index}}{{/each}}', variables: [list] },
      problems: ['systemPrompt 1:18 @../index is outside any #each'],
    },
    {
      why: 'a root name inside a loop is not seen there, yet one outside is',
      pack: { systemPrompt: '{{#each items}}{{name}}{{/each}}{{name}}', variables: [list] },
      problems: [undeclared('1:35', 'name')],
    },
  ],
})
