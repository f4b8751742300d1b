// The loop of sessions, put together: models, secrets, tools, policy. The one place where all of them meet.
import { join } from 'node:path'
import { recordedChat } from '../../adapters/chat/recorded-chat.ts'
import { routedChat } from '../../adapters/chat/routed-chat.ts'
import { scriptedChat } from '../../adapters/chat/scripted-chat.ts'
import { folderFiles } from '../../adapters/folder-files.ts'
import { environmentSecrets, secretsFrom, tenantSecrets } from '../../adapters/secrets.ts'
import { workerValidator } from '../../adapters/worker-validator.ts'
import { isListed } from '../../core/gate/grants.ts'
import { type HostPolicy, sessionPolicy } from '../../core/gate/host-policy.ts'
import { introspectSession } from '../../engine/bindings/introspect-session.ts'
import { workspaceRead } from '../../engine/bindings/workspace-read.ts'
import type { SessionParts } from '../../engine/sessions/performing.ts'
import { sessionWork } from '../../engine/sessions/work.ts'
import { Fault } from '../../errors.ts'
import { type HostedSessions, liveDeltas } from '../../host/hosted-sessions.ts'
import type { Binding, ChatModel, Secrets, Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { folderOf, keyringOf, readText } from '../record/open-record.ts'

export interface OpenSessions extends HostedSessions {
  /** What is under way is broken off, and taken up by whoever comes next. */
  close(): Promise<void>
}

export function openSessions(store: Store, input: Input, policy: HostPolicy, failed: SessionParts['failed']): OpenSessions {
  const mayRead = (tenant: string, session: string) => sessionPolicy(policy, tenant, session)
  const bindings = boundTools([workspaceRead(store, mayRead), introspectSession(store)])
  const validator = workerValidator()
  const live = liveDeltas()
  const keyring = keyringOf(input)
  const work = sessionWork({
    store,
    models: modelsOf(input),
    secrets: tenant => secretsOf(input, tenant),
    seal: bytes => keyring.seal(bytes),
    validator,
    bindings,
    grants: policy.grants,
    hostCatalog: offered(policy, bindings),
    policy: mayRead,
    wait,
    failed,
    onDelta: live.say,
  })
  return {
    work,
    bindings,
    grants: policy.grants,
    live,
    async close() {
      await work.close()
      await validator.close()
    },
  }
}

const boundTools = (bindings: readonly Binding[]): ReadonlyMap<string, Binding> => new Map(bindings.map(one => [one.descriptor.name, one]))

function offered({ offer }: HostPolicy, bindings: ReadonlyMap<string, Binding>): SessionParts['hostCatalog'] {
  const tools = [...bindings.values()].map(({ descriptor }) => descriptor).filter(({ name }) => isListed(offer, name))
  return tools.length === 0 ? null : tools
}

function modelsOf({ script, recordings }: Input): ChatModel {
  const scripted = async () => {
    if (typeof script !== 'string') throw new Fault('provider_unready', { provider: 'scripted', option: '--script FILE' })
    return scriptedChat(script, await readText(script))
  }
  const recorded = () => {
    if (typeof recordings !== 'string') throw new Fault('provider_unready', { provider: 'recorded', option: '--recordings FOLDER' })
    return recordedChat(folderFiles(recordings))
  }
  // Most hosts that only play back never need it, and it is large.
  return routedChat({ scripted, recorded }, async () => (await import('../../adapters/chat/ai-sdk-chat.ts')).aiSdkChat())
}

/** What stands in the environment belongs to whoever started this: the tenant that is there without being named. */
function secretsOf(input: Input, tenant: string): Secrets {
  const own = tenantSecrets(join(folderOf(input), 'secrets.json'), tenant)
  return tenant === 'default' ? secretsFrom(own, environmentSecrets(process.env)) : own
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
