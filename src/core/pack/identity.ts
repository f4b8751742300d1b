// The names of a pack and its files: prompt-<agentId>-v<version>, in prompts/<agentId>/v<version>.yaml, with its script
// and its recording beside it.
import semver from 'semver'

/** An author may name the whole version, or only the major one. */
export const idsOf = (agentId: string, version: string): { readonly whole: string; readonly short: string } => ({
  whole: `prompt-${agentId}-v${version}`,
  short: `prompt-${agentId}-v${version.split('.')[0]}`,
})

const PATH = /(?:^|\/)([^/]+)\/v([^/]+)\.ya?ml$/

export interface PathClaim {
  readonly agentId: string
  /** As written: not every name holds a version. */
  readonly version: string
}

/** The agent and version that a file's path claims. Null when it does not follow prompts/<agentId>/v<version>.yaml. */
export function claimOf(path: string): PathClaim | null {
  const [, agentId, version] = PATH.exec(path) ?? []
  return agentId === undefined || version === undefined ? null : { agentId, version }
}

/** The version a file's name claims. */
export function versionOfPath(path: string): string | null {
  const version = claimOf(path)?.version ?? ''
  return semver.valid(version) === null ? null : version // as written: semver would drop the build
}

export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** The file of another version of the same agent. */
export const pathOfVersion = (path: string, version: string): string => `${folderOf(path)}v${version}.yaml`

/** The file with the replies of the scripted model. */
export const scriptOf = (path: string): string => path.replace(/ya?ml$/, 'script.yaml')
/** A plain `script.yaml` does not belong to a pack: it is an input of runs. */
export const isScript = (path: string): boolean => /(?:^|[./])script\.ya?ml$/.test(path)

/** The file with the recorded replies of a real model. */
export const recordingOf = (path: string): string => path.replace(/ya?ml$/, 'recorded.json')
