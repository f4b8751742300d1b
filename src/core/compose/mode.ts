// Block `mode`: the rules of planning and implementation for an agent. The gate enforces them; the text only saves refused calls.
import type { Mode } from '../gate/authorize.ts'
import { type ShippedTemplate, shipped } from './shipped.ts'

export type { Mode }

const PLANNING = `Mode: PLANNING
- Read what you need. Write only under docs/, and only if your role and permissions let you.
- Change no code, test, configuration or data, by any tool. Commands are refused unless the host lists them for planning.
- Find out and prepare: report findings with file and line. A plan has steps in order, criteria that can be checked, and open questions, so that somebody else can carry it out.
- If the work needs more than this, ask for IMPLEMENTATION with the tool request_implementation, and say what would change and why. A person decides; until then, keep to PLANNING.`

const IMPLEMENTATION = `Mode: IMPLEMENTATION
- Code, tests and docs may change. You change what your role and permissions let you change.
- Make the smallest change that meets the definition of done. Leave the rest as it is.
- Before you report, and if you may run commands, run what would fail if you were wrong. Report each command with its outcome. If you ran nothing, say so.
- Where a change of yours makes docs untrue, correct those you may write, and report the others with their correction.`

const modeTemplate = (mode: Mode, version: string, text: string): ShippedTemplate =>
  shipped({ templateId: `onbook.mode.${mode}`, version, kind: 'system', text, meta: { source: 'host' } })

export const MODE_BLOCKS: Readonly<Record<Mode, ShippedTemplate>> = {
  planning: modeTemplate('planning', '1.2.0', PLANNING),
  implementation: modeTemplate('implementation', '1.1.0', IMPLEMENTATION),
}
