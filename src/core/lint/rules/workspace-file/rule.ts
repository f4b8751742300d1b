import type { Rule } from '../../rule.ts'

/** Found by whoever reads the files: by the time a pack can be looked at, its files were read. */
export const workspaceFile: Rule = {
  name: 'workspace-file',
  summary: 'Every file of the workspace can be read: packs, schemas, onbook.config.yaml, onbook.registry.json.',
  severity: 'error',
  check: () => [],
}
