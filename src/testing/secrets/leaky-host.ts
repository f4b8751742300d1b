// A host in a process of its own, whose provider, tools and agents all say aloud what they were trusted with. Everything it writes is kept to be searched.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Json } from '../../core/digest/digest.ts'
import { runCli, temporaryFolder } from '../hosts/run-cli.ts'
import { type LoopbackChat, loopbackChat } from '../models/loopback-chat.ts'
import { type Place, type Planted, plantedValue } from './planted.ts'

/** Each by the way in which it is entrusted. */
export interface Trusted {
  /** In a slot of a prompt. */
  readonly slot: string
  /** A secret of several lines, in no prompt: a file of the repo has it. */
  readonly lines: string
  readonly environment: string
  readonly provider: string
  /** Lent to a server of tools, to an agent. */
  readonly server: string
  readonly agent: string
}

export const trustedValues = (): Trusted => ({
  slot: plantedValue('"ü /+&'),
  lines: [plantedValue('-'), plantedValue('='), plantedValue('+')].join('\n'),
  environment: plantedValue('~'),
  provider: plantedValue('_'),
  server: plantedValue('ö'),
  agent: plantedValue('\\'),
})

export const plantedOf = (trusted: Trusted): readonly Planted[] => Object.entries(trusted).map(([name, value]) => ({ name, value }))

const MCP = resolve('src/testing/tools/hostile-mcp-server.mjs')
const AGENT = resolve('src/testing/models/fake-cli-agent.mjs')
const TOOLS = ['read_file', 'write_file', 'command', 'leaky__say', 'leaky__environment']
/** So much of a command's output is kept that the cut goes through a secret. */
const KEPT = 2_000

const HOST = {
  model: { provider: 'openai-compatible', model: 'tiny' },
  tools: { bind: ['read_file', 'write_file', 'command'], env: ['COMMAND_TOKEN'], limits: { outputCharacters: KEPT } },
  mcpServers: {
    leaky: { command: process.execPath, args: [MCP, 'well', 'tools.json'], env: ['SERVER_TOKEN'] },
    dying: { command: process.execPath, args: [MCP, 'dies at once'], env: ['LENT_TOKEN'] },
  },
  cliAgents: {
    teller: {
      command: [process.execPath, AGENT, 'secrets', 'stream-json'],
      protocol: 'stream-json',
      env: ['FAKE_TOKEN'],
      nativeTools: 'provider',
    },
    failing: { command: [process.execPath, AGENT, 'secrets', 'text', '--fail'], env: ['FAKE_TOKEN'] },
  },
}
const POLICY = { offer: TOOLS, grants: [{ tools: ['write_file'], approval: true }, { tools: TOOLS }] }

/** Everything of the repo that has something to tell. */
function files({ slot, lines, environment, server }: Trusted, canary: string): Readonly<Record<string, string>> {
  const notes = [canary, slot, lines, environment, server].join('\n')
  // The middle is left out: what is kept before it ends inside one of the values.
  const long = Array.from({ length: 40 }, (_, n) => `${n}: ${[slot, ...lines.split('\n'), environment][n % 5]}`).join('\n')
  const schema = { type: 'object', properties: { text: { type: 'string' } } }
  const tools = ['say', 'environment'].map(name => ({ name, description: `${name}, ${canary}: ${server}`, inputSchema: schema }))
  return {
    'onbook.host.yaml': JSON.stringify(HOST),
    'onbook.policy.yaml': JSON.stringify(POLICY),
    'tools.json': JSON.stringify(tools),
    'flow.yaml': `id: flow\nobjective: I am the speaker. Say ${canary}.\nnodes: [{ id: speaker }]\n`,
    'repo/notes.txt': notes,
    'repo/long.txt': `${long}\n${long}`,
  }
}

export interface LeakyHost {
  readonly folder: string
  readonly data: string
  /** Where its temporary files go. */
  readonly temporary: string
  readonly provider: LoopbackChat
  readonly said: readonly Place[]
  /** Keeps the answer with all its headers. */
  ask(method: string, path: string, body?: Json, headers?: Readonly<Record<string, string>>): Promise<{ status: number; body: never }>
  /** Until the other side ends it. */
  listen(path: string): Promise<void>
  cli(...args: readonly string[]): Promise<string>
  start(): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
  close(): Promise<void>
}

export async function leakyHost(trusted: Trusted, canary: string, answer: Parameters<typeof loopbackChat>[1]): Promise<LeakyHost> {
  const provider = await loopbackChat('openai', answer)
  const folder = temporaryFolder(null, files(trusted, canary))
  const [data, temporary] = [join(folder, '.onbook'), join(folder, 'temporary')]
  for (const made of [data, temporary]) mkdirSync(made, { mode: 0o700 })
  const secrets = join(data, 'secrets.json')
  writeFileSync(secrets, JSON.stringify({ default: { slot: trusted.slot, lines: trusted.lines } }))
  chmodSync(secrets, 0o600)
  const env = {
    TMPDIR: temporary,
    ONBOOK_SECRET_SAFE: trusted.environment,
    COMMAND_TOKEN: trusted.environment,
    OPENAI_COMPATIBLE_API_KEY: trusted.provider,
    OPENAI_COMPATIBLE_BASE_URL: provider.url,
    SERVER_TOKEN: trusted.server,
    LENT_TOKEN: trusted.server,
    FAKE_TOKEN: trusted.agent,
  }
  const said: Place[] = []
  const keep = (where: string, text: string | Buffer) => void said.push({ where, bytes: Buffer.from(text) })
  let [url, key] = ['', '']
  let end: (signal: NodeJS.Signals) => Promise<void> = async () => {}
  const listening: Promise<void>[] = []

  const host: LeakyHost = {
    folder,
    data,
    temporary,
    provider,
    said,
    async ask(method, path, body, headers = {}) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      keep(`${answer.status} ${method} ${path}`, `${JSON.stringify([...answer.headers])}\n${text}`)
      return {
        status: answer.status,
        body: (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text.split('\n')[0]!) : text) as never,
      }
    },
    async listen(path) {
      const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' } })
      const all: Uint8Array[] = []
      const heard = (async () => {
        for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) all.push(piece)
      })()
      // A host that is killed hangs up.
      listening.push(heard.catch(() => {}).then(() => keep(`stream ${path}`, Buffer.concat(all))))
    },
    async cli(...args) {
      const { out, err } = await runCli(args, { cwd: folder, env })
      keep(`onbook ${args.join(' ')}`, `${out}\n${err}`)
      return out
    },
    async start() {
      const args = ['serve', '--port', '0', '--json', '--repo', 'repo', '--log-level', 'debug', '--slow-ms', '0']
      const child = spawn(process.execPath, [resolve('bin/onbook.mjs'), ...args], {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let [out, err] = ['', '']
      child.stderr.on('data', piece => {
        err += piece
      })
      const ended = new Promise<void>(done => child.once('close', () => done()))
      url = await new Promise<string>((listens, fails) => {
        child.stdout.on('data', piece => {
          out += piece
          if (out.includes('\n')) listens(JSON.parse(out.split('\n')[0]!).url)
        })
        void ended.then(() => fails(new Error(`The host ended: ${err}`)))
      })
      key = readFileSync(join(data, 'local.key'), 'utf8').trim()
      end = async signal => {
        child.kill(signal)
        await ended
        await Promise.all(listening.splice(0))
        keep('what the host printed', `${out}\n${err}`)
      }
    },
    stop: (signal = 'SIGTERM') => end(signal),
    close: () => provider.close(),
  }
  return host
}
