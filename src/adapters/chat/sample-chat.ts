// The model behind the sample node of OpenWOP's conformance suite: always gives the same reply. Only for tests.
import type { ChatModel } from '../../ports.ts'

export const sampleChat = (): ChatModel => ({
  async call(_call, { onDelta }) {
    onDelta?.({ kind: 'text', text: 'Sample reply.' })
    return {
      status: 'ok',
      text: 'Sample reply.',
      toolCalls: [],
      finishReason: { reason: 'stop' },
      usage: null,
      warnings: [],
      providerId: 'sample',
    }
  },
})
