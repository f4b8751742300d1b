import type { Rule } from '../../rule.ts'

/** The reader of the files reports these findings: when a rule sees a pack, its files were already read. */
export const workspaceFile: Rule = {
  name: 'workspace-file',
  summary: 'Every file of the workspace can be read: packs, schemas, onbook.config.yaml, onbook.registry.json.',
  severity: 'error',
  check: () => [],
}
