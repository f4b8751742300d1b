import type { Rule } from '../../rule.ts'

export const maxPromptLength: Rule = {
  name: 'max-prompt-length',
  summary: 'systemPrompt stays within 4000 characters, counted as UTF-16 units before rendering.',
  severity: 'warning',
  options: { limit: 4000 },

  *check({ draft: { systemPrompt } }, { limit }) {
    const length = systemPrompt?.length ?? 0
    const at = { pointer: ['systemPrompt'], key: true }
    if (length > Number(limit)) yield { message: `systemPrompt has ${length} characters: ${length - Number(limit)} more than ${limit}`, at }
    else if (length > Number(limit) * 0.8) yield { severity: 'info', message: `systemPrompt has ${length} of ${limit} characters`, at }
  },
}
