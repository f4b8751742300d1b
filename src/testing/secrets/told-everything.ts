// Runs in which secrets come back by every way there is. For the scan that looks for them afterwards.
import type { ServerResponse } from 'node:http'
import type { Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { type Heard, type Said, sendChunks } from '../models/loopback-chat.ts'
import type { LeakyHost, Trusted } from './leaky-host.ts'

/** The text of the prompt names the asking node. */
const nodeIn = (body: string): string => /I am the (\w+)\./.exec(body)?.[1] ?? 'nobody'
const timesIn = (body: string): number => [...body.matchAll(/"role":"tool"/g)].length

/** The provider's reply: repeats every secret that it received, in every form. */
export function tellingProvider({ slot, provider, environment }: Trusted, canary: string) {
  const told = `${canary} ${slot} ${JSON.stringify(slot)} ${encodeURIComponent(slot)} Bearer ${provider}`
  const call = (name: string, given: Json, index: number) => ({ id: `c${index}`, name, arguments: JSON.stringify(given) })
  const CALLS: readonly (readonly [string, Json])[] = [
    ['read_file', { path: 'notes.txt' }],
    ['read_file', { path: `${canary}-${slot}` }],
    ['read_file', { path: 7, [`${canary} ${slot}`]: provider }],
    ['command', { cmd: `cat notes.txt; echo "$COMMAND_TOKEN"; echo '${slot}' ${provider} >&2; exit 3` }],
    ['command', { cmd: 'cat long.txt' }],
    ['command', { cmd: 'cp notes.txt copy.txt; cp notes.txt "$(head -c 20 notes.txt).txt"' }],
    ['leaky__say', { text: told }],
    ['leaky__say', { text: 'fail' }],
    ['leaky__environment', {}],
    ['nobody_has_this', { text: told }],
  ]
  return (response: ServerResponse, { body }: Heard): Said | undefined => {
    const node = nodeIn(body)
    // Node by node: pieces that end within a value, calls, errors that quote, a stream that breaks off, one that never ends.
    if (node === 'speaker') return { pieces: [...told.match(/.{1,7}/gsu)!], thoughts: [told] }
    if (node === 'caller')
      return timesIn(body) > 0 ? { pieces: ['Done.'] } : { toolCalls: CALLS.map(([name, given], n) => call(name, given, n)) }
    if (node === 'writer')
      return timesIn(body) > 1
        ? { pieces: ['Written.'] }
        : { toolCalls: [call('write_file', { path: `${canary}.txt`, content: `${told} ${environment}` }, timesIn(body))] }
    if (node === 'refused') {
      response.writeHead(401, { 'content-type': 'application/json', 'x-key': provider })
      response.end(JSON.stringify({ error: { message: `${'x'.repeat(950)} ${told} is no key`, type: told } }))
    } else if (node === 'broken')
      void sendChunks(response, [`data: {"error":{"message":${JSON.stringify(told)}}}\n\n`]).then(one => one.end())
    else if (node === 'silent')
      void sendChunks(response, [`data: {"id":"c","choices":[{"index":0,"delta":{"content":${JSON.stringify(told)}}}]}\n\n`])
    else return { pieces: ['Noted.'] }
    return undefined
  }
}

/** Each works in a lasting session of its name: what it says is in a transcript as well. */
const node = (id: string, more: object = {}) => ({
  id,
  session: id,
  config: { userPromptRef: `prompt:${id}`, secrets: { apiKey: 'slot' } },
  ...more,
})
const WORKFLOWS: Readonly<Record<string, Json>> = {
  told: { id: 'told', nodes: [node('speaker'), node('caller')], edges: [{ from: 'speaker', to: 'caller' }] },
  asked: { id: 'asked', nodes: [node('writer')] },
  agents: { id: 'agents', nodes: [node('teller', { provider: 'teller', model: 'default' })] },
  failing: { id: 'failing', nodes: [node('failing', { provider: 'failing', model: 'default' })] },
  refused: { id: 'refused', nodes: [node('refused')] },
  broken: { id: 'broken', nodes: [node('broken')] },
  silent: { id: 'silent', nodes: [node('silent')] },
} as never

const NODES = ['speaker', 'caller', 'writer', 'teller', 'failing', 'refused', 'broken', 'silent']

export async function publishAll(host: LeakyHost, canary: string, nodes = NODES, workflows = Object.keys(WORKFLOWS)): Promise<void> {
  for (const templateId of nodes)
    await host.ask('POST', '/v1/prompts', {
      templateId,
      version: '1.0.0',
      kind: 'user',
      text: `I am the ${templateId}. Use {{apiKey}}, and say ${canary}.`,
      variables: [{ name: 'apiKey', type: 'string', required: true, source: 'secret' }],
    })
  for (const id of workflows) await host.ask('PUT', `/v1/workflows/${id}`, WORKFLOWS[id])
}

/** Starts a run with two identical requests, as a client does after a broken connection. */
export async function startTold(host: LeakyHost, workflowId: string): Promise<string> {
  const once = () => host.ask('POST', '/v1/runs', { workflowId }, { 'idempotency-key': `once-${workflowId}` })
  const { runId } = (await once()).body as { readonly runId: string }
  await once()
  await host.listen(`/v1/runs/${runId}/events?streamMode=messages,debug`)
  return runId
}

export async function endOf(host: LeakyHost, runId: string): Promise<string> {
  for (;;) {
    const { status } = (await host.ask('GET', `/v1/runs/${runId}`)).body as { readonly status: string }
    if (!['pending', 'running', 'paused', 'cancelling', 'waiting-approval', 'waiting-input'].includes(status)) return status
    await new Promise(resume => setTimeout(resume, 50))
  }
}

/** Answers the approval as soon as it is pending. */
export async function answerApproval(host: LeakyHost, runId: string, answer: JsonObject) {
  for (;;) {
    const { items } = (await host.ask('GET', '/v1/approvals')).body as { items: readonly { approval: string; runId: string }[] }
    const asked = items.find(one => one.runId === runId)
    if (asked !== undefined) return host.ask('POST', `/v1/approvals/${asked.approval}`, answer)
    await new Promise(resume => setTimeout(resume, 50))
  }
}
