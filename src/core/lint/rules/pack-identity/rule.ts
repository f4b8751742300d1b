import type { Rule } from '../../rule.ts'

const PATH = /(?:^|\/)([^/]+)\/v([^/]+)\.ya?ml$/

export const packIdentity: Rule = {
  name: 'pack-identity',
  summary: 'id, agentId, version and path agree: prompts/<agentId>/v<version>.yaml holds prompt-<agentId>-v<version>.',
  severity: 'error',
  fixable: true,

  *check({ path, draft: { id, agentId, version } }) {
    if (id !== undefined && agentId !== undefined && version !== undefined) {
      const whole = `prompt-${agentId}-v${version}`
      const short = `prompt-${agentId}-v${version.split('.')[0]}`
      if (id !== whole && id !== short)
        yield {
          message: `id "${id}" does not belong to ${agentId} ${version}`,
          at: { pointer: ['id'] },
          suggestion: `write "${whole}"`,
          fix: { pointer: ['id'], value: whole },
        }
    }
    const [, folder, stem] = PATH.exec(path) ?? []
    if (folder === undefined) {
      yield {
        severity: 'warning',
        message: `${path} does not follow prompts/<agentId>/v<version>.yaml`,
        at: { pointer: ['agentId'], key: true },
      }
      return
    }
    if (agentId !== undefined && agentId !== folder)
      yield {
        message: `agentId "${agentId}" stands in the folder "${folder}"`,
        at: { pointer: ['agentId'] },
        suggestion: `move the file to ${agentId}/ or write "${folder}"`,
      }
    if (version !== undefined && version !== stem)
      yield {
        message: `version "${version}" stands in the file v${stem}`,
        at: { pointer: ['version'] },
        suggestion: `rename the file to v${version}.yaml or write "${stem}"`,
      }
  },
}
