// Records the settings of the host: each changed setting is an event, whichever process changed the file.
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import type { Store } from '../../ports.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { optimisticRetry } from '../work/optimistic-retry.ts'

/** The stream of some settings, and the event type of a change. */
export interface SettingsRecord {
  readonly stream: string
  readonly type: string
}

export const HOST_STREAM = 'host/config'
const HOST_CONFIG: SettingsRecord = { stream: HOST_STREAM, type: 'host.configured' }
/** The policy of the host: grants, and what sessions may read. */
export const HOST_POLICY: SettingsRecord = { stream: 'host/policy', type: 'policy.changed' }

export interface SettingChange {
  readonly setting: string
  readonly from: Json
  readonly to: Json
}

/** Appends an event when a setting differs from the last recorded one; for a new host, from the default. */
export async function recordConfig(
  store: Store,
  actor: string,
  config: JsonObject,
  initial: JsonObject,
  { stream, type }: SettingsRecord = HOST_CONFIG,
): Promise<readonly SettingChange[]> {
  return optimisticRetry(async () => {
    const { seq } = await store.head(HOST_TENANT, stream)
    // A setting that is not on record yet had its default.
    const changes = changesBetween({ ...initial, ...(await lastConfig(store, stream, seq)) }, config)
    if (changes.length === 0) return changes
    const payload: Json = { config, changes: changes as unknown as Json }
    const entries = [{ type, actor, payload }]
    await store.commit({ tenant: HOST_TENANT, appends: [{ stream, expected: seq, entries }] })
    return changes
  })
}

/** Null when nothing is on record. @param seq of the last event */
export async function lastConfig(store: Store, stream: string, seq: number): Promise<JsonObject | null> {
  for await (const { event } of store.read(HOST_TENANT, stream, seq - 1)) {
    const { payload } = event
    return isObject(payload) && isObject(payload.config) ? payload.config : null
  }
  return null
}

/** One change per setting, and one per kind for settings by kind. */
function changesBetween(from: JsonObject, to: JsonObject, prefix = ''): readonly SettingChange[] {
  const settings = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()
  return settings.flatMap(setting => {
    const [was, is] = [from[setting] ?? null, to[setting] ?? null]
    if (canonicalJson(was) === canonicalJson(is)) return []
    if (prefix === '' && isObject(was) && isObject(is)) return changesBetween(was, is, `${setting}.`)
    return [{ setting: `${prefix}${setting}`, from: was, to: is }]
  })
}
