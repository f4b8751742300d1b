import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { unusedDescriptor } from './rule.ts'

const files = { 'tools/descriptors/look.json': { name: 'look' } }

testLayoutRule(unusedDescriptor, {
  accepts: [{ why: 'a catalog names it', files: { ...files, 'tools/catalogs/default.json': { tools: [{ name: 'x' }, 'look'] } } }],
  rejects: [
    {
      why: 'no catalog names it',
      files: { ...files, 'tools/catalogs/default.json': ['list'], 'tools/catalogs/broken.json': '{' },
      problems: ['tools/descriptors/look.json:1:1 No catalog names this descriptor, so no model is shown it'],
    },
  ],
})
