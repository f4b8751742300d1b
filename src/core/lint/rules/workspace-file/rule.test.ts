import { testRule } from '../../../../testing/rules/test-rule.ts'
import { workspaceFile } from './rule.ts'

// The findings of this rule arise while files are read; fixtures/packs/bad/workspace-file shows them.
testRule(workspaceFile, { accepts: [{ why: 'any pack: by the time there is one, its files were read' }], rejects: [] })
