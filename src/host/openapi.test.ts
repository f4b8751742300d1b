// Tests that the OpenAPI document is valid and complete, and describes nothing that does not exist.
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { memoryStore } from '../adapters/memory-store/memory-store.ts'
import { PRODUCT_PROJECTIONS } from '../engine/record/projections.ts'
import { createHost } from './app.ts'
import { DEFAULT_CONFIG } from './config.ts'

const clock = () => new Date().toISOString()

async function describedHost() {
  const store = memoryStore(clock, PRODUCT_PROJECTIONS)
  const app = createHost({ store, clock, config: DEFAULT_CONFIG })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const answer = await fetch(`${url}/v1/openapi.json`)
  const document = (await answer.json()) as { openapi: string; paths: Record<string, Record<string, object>> }
  await app.close()
  return document
}

it('openwop D11: is a valid OpenAPI 3.1 document, and needs no key', async () => {
  const document = await describedHost()
  expect(document.openapi).toBe('3.1.0')
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
})

/** The operation ids of OpenWOP's own document, so that clients generated from either document have the same names. */
const OPENWOP_NAMES: Readonly<Record<string, string>> = {
  'GET /.well-known/openwop': 'getCapabilities',
  'GET /v1/openapi.json': 'getOpenApiSpec',
  'GET /v1/workflows/{workflowId}': 'getWorkflow',
  'POST /v1/runs': 'createRun',
  'GET /v1/runs/{runId}': 'getRun',
  'GET /v1/runs/{runId}/events': 'streamRunEvents',
  'GET /v1/runs/{runId}/events/poll': 'pollRunEvents',
  'POST /v1/runs/{runId}/cancel': 'cancelRun',
  'POST /v1/runs:bulk-cancel': 'bulkCancelRuns',
  'POST /v1/runs/{runId}:fork': 'forkRun',
  'POST /v1/runs/{runId}:pause': 'pauseRun',
  'POST /v1/runs/{runId}:resume': 'resumeRun',
  'GET /v1/agents': 'listAgents',
  'GET /v1/agents/{agentId}': 'getAgent',
  'POST /v1/runs/{runId}/interrupts/{nodeId}': 'resolveInterruptByRun',
  'GET /v1/interrupts/{token}': 'inspectInterruptByToken',
  'POST /v1/interrupts/{token}': 'resolveInterruptByToken',
}

/** Verbs that an operation's name may begin with. */
const VERBS =
  /^(?:activate|adopt|apply|bulk|cancel|check|command|commit|compose|configure|create|delete|diff|drop|explain|export|fork|get|inspect|list|move|override|pause|poll|protect|provide|publish|put|read|remove|render|replace|replay|resolve|resume|retire|say|send|set|sign|start|stream|sync|unprotect|verify|write)[A-Z][A-Za-z]+$/

it('openwop D21: names every operation once, with a verb and a noun, and has no two templates for one path', async () => {
  const { paths } = await describedHost()
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      name: (operation as { readonly operationId?: string }).operationId ?? '',
    })),
  )
  expect(operations.filter(({ name }) => !VERBS.test(name))).toEqual([])
  const names = operations.map(({ name }) => name)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  const named = Object.fromEntries(operations.map(({ route, name }) => [route, name]))
  expect(named).toMatchObject(OPENWOP_NAMES)
  const shapes = Object.keys(paths).map(path => path.replaceAll(/\{[^}]*\}/g, '{}'))
  expect(new Set(shapes).size).toBe(shapes.length)
  expect(Object.keys(paths).filter(path => path.includes('*'))).toEqual([])
})

it('openwop D21: describes the headers that routes read', async () => {
  const { paths } = await describedHost()
  const headersOf = (path: string, method: string): readonly string[] =>
    ((paths[path]![method] as { parameters?: { in: string; name: string }[] }).parameters ?? [])
      .filter(one => one.in === 'header')
      .map(({ name }) => name)
  expect(headersOf('/v1/runs', 'post')).toEqual(['Idempotency-Key'])
  expect(headersOf('/v1/prompts/{templateId}', 'put')).toEqual(expect.arrayContaining(['Idempotency-Key', 'If-Match']))
  expect(headersOf('/v1/runs/{runId}/events', 'get')).toEqual(['Last-Event-ID'])
})

it('names every route', async () => {
  const { paths } = await describedHost()
  const routes = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`))
  expect(routes.sort()).toMatchInlineSnapshot(`
    [
      "DELETE /v1/agents/{agentId}",
      "DELETE /v1/labels/{templateId}/{label}",
      "DELETE /v1/prompts/{templateId}",
      "DELETE /v1/protected-labels/{label}",
      "DELETE /v1/sign-in",
      "DELETE /v1/workflows/{workflowId}",
      "DELETE /v1/workspaces/{workspace}/files/{path}",
      "GET /.well-known/openwop",
      "GET /healthz",
      "GET /metrics",
      "GET /readyz",
      "GET /v1/agents",
      "GET /v1/agents/{agentId}",
      "GET /v1/approvals",
      "GET /v1/interrupts/{token}",
      "GET /v1/labels/{templateId}",
      "GET /v1/labels/{templateId}/history",
      "GET /v1/objects/{digest}",
      "GET /v1/openapi.json",
      "GET /v1/policy",
      "GET /v1/prompts",
      "GET /v1/prompts/{templateId}",
      "GET /v1/prompts/{templateId}/diff",
      "GET /v1/prompts/{templateId}/versions",
      "GET /v1/protected-labels",
      "GET /v1/roles",
      "GET /v1/roles/{name}",
      "GET /v1/runs",
      "GET /v1/runs/{runId}",
      "GET /v1/runs/{runId}/blame",
      "GET /v1/runs/{runId}/diff",
      "GET /v1/runs/{runId}/events",
      "GET /v1/runs/{runId}/events/poll",
      "GET /v1/runs/{runId}/interrupts/{nodeId}",
      "GET /v1/runs/{runId}/prefix",
      "GET /v1/runs/{runId}/prompts",
      "GET /v1/runs/{runId}/prompts/{nodeId}/{step}",
      "GET /v1/runs/{runId}/replay",
      "GET /v1/runs/{runId}/why",
      "GET /v1/runs/{runId}:export",
      "GET /v1/sessions",
      "GET /v1/sessions/{session}",
      "GET /v1/sessions/{session}/events",
      "GET /v1/sessions/{session}/transcript",
      "GET /v1/sign-in",
      "GET /v1/streams",
      "GET /v1/streams/{stream}/events",
      "GET /v1/tools",
      "GET /v1/verify",
      "GET /v1/workflows",
      "GET /v1/workflows/{workflowId}",
      "GET /v1/workspaces",
      "GET /v1/workspaces/{workspace}",
      "GET /v1/workspaces/{workspace}/annotations",
      "GET /v1/workspaces/{workspace}/checks",
      "GET /v1/workspaces/{workspace}/diff",
      "GET /v1/workspaces/{workspace}/files/{path}",
      "GET /v1/workspaces/{workspace}/regression",
      "GET /v1/workspaces/{workspace}/tree",
      "GET /v1/workspaces/{workspace}/versions",
      "POST /v1/approvals/{approval}",
      "POST /v1/interrupts/{token}",
      "POST /v1/login-tokens",
      "POST /v1/objects",
      "POST /v1/packs:activate",
      "POST /v1/packs:publish",
      "POST /v1/packs:retire",
      "POST /v1/policy:explain",
      "POST /v1/prompts",
      "POST /v1/prompts:render",
      "POST /v1/prompts:resolve",
      "POST /v1/runs",
      "POST /v1/runs/{runId}/cancel",
      "POST /v1/runs/{runId}/interrupts/{nodeId}",
      "POST /v1/runs/{runId}/mode",
      "POST /v1/runs/{runId}/nodes/{nodeId}/messages",
      "POST /v1/runs/{runId}/override",
      "POST /v1/runs/{runId}/pause",
      "POST /v1/runs/{runId}/resume",
      "POST /v1/runs/{runId}:cancel",
      "POST /v1/runs/{runId}:fork",
      "POST /v1/runs/{runId}:pause",
      "POST /v1/runs/{runId}:resume",
      "POST /v1/runs:bulk-cancel",
      "POST /v1/sessions",
      "POST /v1/sessions/{session}/apply",
      "POST /v1/sessions/{session}/commands",
      "POST /v1/sessions/{session}/events",
      "POST /v1/sessions/{session}/input",
      "POST /v1/sessions/{session}/runs",
      "POST /v1/sessions/{session}/sync",
      "POST /v1/sign-in",
      "POST /v1/tools:adopt",
      "POST /v1/tools:drop",
      "POST /v1/workspaces/{workspace}/checks",
      "POST /v1/workspaces/{workspace}/commits",
      "PUT /v1/agents/{agentId}",
      "PUT /v1/labels/{templateId}/{label}",
      "PUT /v1/prompts/{templateId}",
      "PUT /v1/protected-labels/{label}",
      "PUT /v1/sessions/{session}/config",
      "PUT /v1/workflows/{workflowId}",
      "PUT /v1/workspaces/{workspace}/files/{path}",
    ]
  `)
})
