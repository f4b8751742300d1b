// Pins the exported names, and checks that a browser can run the modules behind them.
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import * as client from './index.ts'

it('offers these names and no others', () => expect(Object.keys(client).sort()).toEqual(['ClientError', 'createClient', 'eventParser']))

it('bundled for a browser it needs nothing from outside', async () => {
  const build = await rolldown({ input: 'src/client/index.ts', platform: 'browser' })
  const { output } = await build.generate({ format: 'esm' })
  await build.close()
  const [chunk] = output
  expect([...chunk.imports, ...chunk.dynamicImports]).toEqual([])
  expect(chunk.code).not.toMatch(/["'`]node:|\brequire\(|\bprocess\.|\bBuffer\b/)
})
