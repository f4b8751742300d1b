import { it } from 'vitest'
import { readToolCalls } from '../../core/tools/read-tool-calls.ts'
import { workerValidator } from '../../adapters/worker-validator.ts'
import { problemWith } from '../sessions/gate-facts.ts'
import { argumentFit } from '../../core/gate/argument-patterns.ts'
it('fences', () => {
  for (const [name, text] of [['dash', '- '.repeat(500_000)], ['dashtick', '- '.repeat(500_000) + '```'], ['num', '1. '.repeat(300_000) + '`'], ['ticks', '`'.repeat(1_000_000)], ['tabs', '\t'.repeat(1_000_000) + '- '], ['lines', '{"tool_call":{"name":"command","args":{}}}\n'.repeat(20_000)], ['ids', Array.from({ length: 5000 }, (_, n) => `{"tool_call":{"id":"call-9000${n === 0 ? '' : `-${n + 1}`}","name":"command","args":{}}}`).join('\n')]] as const) {
    const began = performance.now()
    let said = ''
    try { said = String(readToolCalls(text).calls.length) } catch (error) { said = String(error) }
    console.log(name, said, Math.round(performance.now() - began), 'ms')
  }
}, 120_000)
it('mismatches', async () => {
  const validator = workerValidator()
  const said = await problemWith(validator, { name: 'x', description: '', inputSchema: { type: 'object', properties: { a: { type: 'array', items: { type: 'number' } } } } }, { a: Array.from({ length: 100_000 }, () => 'x') })
  console.log(said?.length, said?.slice(0, 200))
  const said2 = await problemWith(validator, { name: 'x', description: '', inputSchema: { type: 'object', additionalProperties: false } }, { ['k'.repeat(1_000_000)]: 1 })
  console.log(said2?.length)
  const said3 = await problemWith(validator, { name: 'x', description: '', inputSchema: { type: 'object', properties: { a: { enum: ['sha256:' + '0'.repeat(64)] } } } }, { a: 'y' })
  console.log(said3)
  await validator.close()
  const b = performance.now(); console.log(argumentFit({ p: '*a'.repeat(2000) }, 'p', ['*a*'.repeat(80)]), performance.now() - b)
}, 60_000)
