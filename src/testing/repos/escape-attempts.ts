// Tries ways out of a hostile repo one after the other, and sees whether one led anywhere. For tests.
import { expect, vi } from 'vitest'
import { LEAKED } from './escape-corpus.ts'
import { type HostileRepo, hostileRepo, runTool } from './hostile-repo.ts'

type RepoTools = typeof import('../../adapters/repo-tools/repo-tools.ts').repoTools

/** How the tools are loaded on a system that has no names for descriptors. */
async function loadedOn(platform: NodeJS.Platform): Promise<RepoTools> {
  const own = Object.getOwnPropertyDescriptor(process, 'platform')!
  vi.resetModules()
  Object.defineProperty(process, 'platform', { ...own, value: platform })
  try {
    return (await import('../../adapters/repo-tools/repo-tools.ts')).repoTools
  } finally {
    Object.defineProperty(process, 'platform', own)
  }
}

export type Attempt = (tool: string, args: object) => Promise<void>

/** Fails the test when anything that must stay has changed, or the answer tells of what is outside. */
export async function escapeAttempts(platform = process.platform): Promise<Attempt> {
  const repoTools = await loadedOn(platform)
  let made: HostileRepo | null = null
  return async (tool, args) => {
    made ??= hostileRepo()
    const answer = JSON.stringify(await runTool(repoTools(made.root, { limits: { commandMs: 5_000 } }), tool, args))
    expect(made.changes()).toEqual([])
    expect(answer).not.toMatch(LEAKED)
    // A repo serves until something was deleted in it: that may have been a way out.
    if (answer.includes('"deleted":true')) made = null
  }
}
