// What is said aloud when a run starts: the run goes on, but somebody probably meant something else.

/** `tools_unadopted`: offered, and no agent sees it. `label_missing`: a ref leads nowhere. `policy_outdated`: the host uses an older file. */
export type RunWarningCode = 'tools_unadopted' | 'label_missing' | 'policy_outdated'

export interface RunWarning {
  readonly code: RunWarningCode
  /** What it is about, where to look, and what to do. */
  readonly message: string
}
