// The stories of the demo, each with one command.

import type { Stage } from './stage.ts'
import { apply } from './stories/apply.ts'
import { attack } from './stories/attack.ts'
import { override } from './stories/override.ts'
import { publish } from './stories/publish.ts'
import { replay } from './stories/replay.ts'
import { tamper } from './stories/tamper.ts'
import { tool } from './stories/tool.ts'

export interface DemoStory {
  readonly name: string
  /** The subject, in a few words. */
  readonly summary: string
  /** The result, in one line. */
  readonly tell: (stage: Stage) => Promise<string>
}

export const STORIES: readonly DemoStory[] = [
  { name: 'override', summary: 'another prompt for one node, and for no other', tell: override },
  { name: 'publish', summary: 'a new house style is published, and nothing changes', tell: publish },
  { name: 'apply', summary: 'it is synced, and applied at the next step', tell: apply },
  { name: 'tool', summary: 'one tool: shown, granted, approved', tell: tool },
  { name: 'attack', summary: 'an attack in a variable stays inert', tell: attack },
  { name: 'replay', summary: 'every prompt composed again, byte for byte', tell: replay },
  { name: 'tamper', summary: 'one flipped byte, found and named', tell: tamper },
]
