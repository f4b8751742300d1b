// Every way out of a repo, tried in runs, behind the real gate.
import { expect, it } from 'vitest'
import { ESCAPE_WAYS, LEAKED, PATH_CALLS } from '../../testing/repos/escape-corpus.ts'
import { hostileRepo } from '../../testing/repos/hostile-repo.ts'
import { callsInRun } from '../../testing/stories/calls-in-run.ts'

it.each(PATH_CALLS)(`%s leads nowhere by any of ${ESCAPE_WAYS.length} ways, through the gate`, async (tool, args) => {
  const { root, changes } = hostileRepo()
  const { told, state } = await callsInRun(
    { root },
    ESCAPE_WAYS.map(path => [tool, args(path.toWellFormed())] as const),
  )
  expect(told).toHaveLength(ESCAPE_WAYS.length)
  expect(JSON.stringify(told)).not.toMatch(LEAKED)
  expect(changes()).toEqual([])
  expect(state.phase).toBe('completed')
})
