// Folder: Agents as people write them. A file that asks for a permission is not granted it.
// An agent in its internal form, with all defaults filled in. Content: nothing here grants anything.
import type { ComposeStyle } from '../compose/compose-style.ts'
import type { JsonObject } from '../digest/is-object.ts'
import type { NodeSettings } from '../gate/authorize.ts'
import type { KindRefs } from '../resolve/layers.ts'
import type { ModelChoice } from '../workflow/workflow.ts'

export type ModelClass = 'reasoning' | 'writing' | 'coding' | 'research' | 'classification' | 'general'

export interface Agent {
  readonly agentId: string
  /** Null when the manifest has none. */
  readonly version: string | null
  readonly persona: string
  readonly label: string | null
  readonly description: string | null
  readonly modelClass: ModelClass
  /** Its own text; null when it has none. */
  readonly systemPrompt: string | null
  readonly promptOverrides: KindRefs
  readonly promptLibraryRef: string | null
  /** Names of tools; null for no limit. Takes visibility away, never adds any. */
  readonly toolAllowlist: readonly string[] | null
  readonly role: string | null
  /** Its home session, where sync and apply act; null for none. */
  readonly session: string | null
  readonly model: ModelChoice
  readonly settings: Partial<NodeSettings> | null
  /** How much of its prompts is Onbook's own. Left out: the workflow's choice. */
  readonly compose?: ComposeStyle
  /** The effect of an input that does not fit the pack's schema. Left out: the run is refused. */
  readonly onMisfit?: 'fail' | 'warn'
  /** As it was written. */
  readonly manifest: JsonObject
}
