import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { capabilityDocument, DEFAULT_CONFIG } from '../host/config.ts'
import {
  type CapabilityDocument,
  type CapabilityGate,
  readCapabilities,
  requireMutableLibrary,
  requirePromptAgentBindings,
  requirePromptBodies,
  requirePromptEndpoints,
  requirePromptPacks,
  requirePrompts,
  requireReplay,
  requireSecrets,
} from './capability-gates.ts'

const GATES: readonly [string, CapabilityGate, CapabilityDocument, string][] = [
  ['prompts', requirePrompts, { prompts: { supported: true } }, 'prompts.supported'],
  ['endpoints', requirePromptEndpoints, { prompts: { endpointsSupported: true } }, 'prompts.endpointsSupported'],
  [
    'a mutable library',
    requireMutableLibrary,
    { prompts: { endpointsSupported: true, mutableLibrary: true } },
    'prompts.endpointsSupported',
  ],
  ['packs', requirePromptPacks, { prompts: { endpointsSupported: true, packsSupported: true } }, 'prompts.endpointsSupported'],
  ['agent bindings', requirePromptAgentBindings, { prompts: { supported: true, agentBindings: true } }, 'prompts.supported'],
  ['bodies', requirePromptBodies, { prompts: { supported: true, observability: 'full' } }, 'prompts.supported'],
  ['secrets', requireSecrets, { secrets: { supported: true } }, 'secrets.supported'],
  ['replay', requireReplay, { replay: { supported: true } }, 'replay.supported'],
]

describe.each(GATES)('a scenario about %s', (_, gate, document, first) => {
  it('may run where the document says so, at the root or under capabilities', () => {
    expect(gate(document)).toBeNull()
    expect(gate({ capabilities: document })).toBeNull()
  })

  it('is skipped, with a reason, where nothing is said', () => {
    for (const silent of [{}, { capabilities: {} }, { capabilities: null }, { prompts: 'yes', secrets: [], replay: null }])
      expect(gate(silent)).toBe(`the host does not advertise ${first}`)
  })

  it('is skipped for any word but true', () => {
    const [[family, flags]] = Object.entries(document) as [[string, Record<string, unknown>]]
    for (const flag of Object.keys(flags))
      for (const word of [false, 'true', 1, null]) expect(gate({ [family]: { ...flags, [flag]: word } })).toMatch(/^the host /)
  })
})

it('believes the root where both places speak', () => {
  expect(requirePrompts({ prompts: { supported: false }, capabilities: { prompts: { supported: true } } })).not.toBeNull()
})

it('agrees with what our own host advertises', () => {
  const reasons = (more: object) => {
    const document = capabilityDocument({ ...DEFAULT_CONFIG, ...more }) as CapabilityDocument
    return [requirePrompts, requirePromptEndpoints, requireMutableLibrary, requirePromptAgentBindings].map(gate => gate(document))
  }
  expect(reasons({})).toEqual([null, null, null, null])
  expect(reasons({ endpointsSupported: false, agentBindings: false })).toEqual([
    null,
    'the host does not advertise prompts.endpointsSupported',
    'the host does not advertise prompts.endpointsSupported',
    'the host does not advertise prompts.agentBindings',
  ])
})

describe('reading the document', () => {
  it('says where no host answers', async () => {
    const server = createServer()
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await new Promise(closed => server.close(closed))
    await expect(readCapabilities(url)).rejects.toThrow(`No host answers at ${url}.`)
  })

  it.each([
    [200, '{"prompts":{"supported":true}}', null],
    [200, 'no JSON', /serves no capability document: it answered 200/],
    [200, '[]', /serves no capability document/],
    [404, '{}', /it answered 404/],
  ])('of a host that answers %i %s', async (status, body, problem) => {
    const server = createServer((_, response) => response.writeHead(status).end(body))
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      if (problem === null) expect(await readCapabilities(url)).toEqual(JSON.parse(body))
      else await expect(readCapabilities(url)).rejects.toThrow(problem)
    } finally {
      server.close()
    }
  })
})
