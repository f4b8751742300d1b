import { expect, it } from 'vitest'
import { USUAL_SETTINGS, usualSettings } from './usual-settings.ts'

const FIRST = { edgeManagement: 'none', writeCode: true, writeDocs: true, runCommands: true, delegateOnly: false, gated: false }

it('a run that froze none has what the first runs had, whatever is usual now', () => {
  expect(usualSettings(undefined, null)).toEqual(FIRST)
  expect(usualSettings(undefined, 'orchestrator')).toEqual({ ...FIRST, edgeManagement: 'all', delegateOnly: true })
  expect(usualSettings(undefined, 'constructor')).toEqual(FIRST)
})

it('a run has what it froze, also where that is not usual any more', () => {
  const frozen = { all: { ...USUAL_SETTINGS.all, gated: true }, roles: { reviewer: { writeCode: false } } }
  expect(usualSettings(frozen, 'orchestrator')).toEqual(frozen.all)
  expect(usualSettings(frozen, 'reviewer')).toEqual({ ...frozen.all, writeCode: false })
})
