// Block `mode`: what planning and implementation ask of an agent. The gate enforces it; the words only save refused calls.
import type { GateFacts } from '../gate/authorize.ts'
import { type ShippedTemplate, shipped } from './shipped.ts'

export type Mode = NonNullable<GateFacts['mode']>

const PLANNING = `Mode: PLANNING
- Read whatever you need. Write only under docs/.
- Change no code, test, configuration or data, by any tool. Commands are refused unless the host lists them for planning.
- Leave a plan that somebody else can carry out: findings with file and line, steps in order, criteria that can be checked, open questions.
- If the work needs more than this, ask for IMPLEMENTATION and say what would change and why. A person decides; until then, keep planning.`

const IMPLEMENTATION = `Mode: IMPLEMENTATION
- You may change code, tests and docs, as far as your role and permissions go.
- Make the smallest change that meets the definition of done. Leave the rest as it is.
- Before you report, run what would fail if you were wrong, and report each command with its outcome. If you ran nothing, say so.
- Keep docs true to what you changed.`

const modeTemplate = (mode: Mode, text: string): ShippedTemplate =>
  shipped({ templateId: `onbook.mode.${mode}`, version: '1.0.0', kind: 'system', text, meta: { source: 'host' } })

export const MODE_BLOCKS: Readonly<Record<Mode, ShippedTemplate>> = {
  planning: modeTemplate('planning', PLANNING),
  implementation: modeTemplate('implementation', IMPLEMENTATION),
}
