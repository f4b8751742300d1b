import { claimOf, idsOf } from '../../../pack/identity.ts'
import type { Rule } from '../../rule.ts'

export const packIdentity: Rule = {
  name: 'pack-identity',
  summary: 'id, agentId, version and path agree: prompts/<agentId>/v<version>.yaml holds prompt-<agentId>-v<version>.',
  severity: 'error',
  fixable: true,

  *check({ path, draft: { id, agentId, version } }) {
    if (id !== undefined && agentId !== undefined && version !== undefined) {
      const { whole, short } = idsOf(agentId, version)
      if (id !== whole && id !== short)
        yield {
          message: `id "${id}" does not belong to ${agentId} ${version}`,
          at: { pointer: ['id'] },
          suggestion: `write "${whole}"`,
          fix: { pointer: ['id'], value: whole },
        }
    }
    const claim = claimOf(path)
    if (claim === null) {
      yield {
        severity: 'warning',
        message: `${path} does not follow prompts/<agentId>/v<version>.yaml`,
        at: { pointer: ['agentId'], key: true },
      }
      return
    }
    const { agentId: folder, version: stem } = claim
    if (agentId !== undefined && agentId !== folder)
      yield {
        message: `agentId "${agentId}" is in the folder "${folder}"`,
        at: { pointer: ['agentId'] },
        suggestion: `move the file to ${agentId}/ or write "${folder}"`,
      }
    if (version !== undefined && version !== stem)
      yield {
        message: `version "${version}" is in the file v${stem}`,
        at: { pointer: ['version'] },
        suggestion: `rename the file to v${version}.yaml or write "${stem}"`,
      }
  },
}
