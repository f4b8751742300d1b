import { testRule } from '../../../../testing/rules/test-rule.ts'
import { workspaceFile } from './rule.ts'

// What this rule reports is found while files are read; fixtures/packs/bad/workspace-file shows it.
testRule(workspaceFile, { accepts: [{ why: 'any pack: by the time there is one, its files were read' }], rejects: [] })
