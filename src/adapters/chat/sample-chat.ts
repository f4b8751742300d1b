// The model behind the sample node of OpenWOP's conformance suite: whatever it is told, it says the same. Only for tests.
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
