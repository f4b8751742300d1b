// What is said aloud when a run starts: the run goes on, but somebody probably meant something else.

/** `input_misfit`: the input does not fit the pack's schema. `tools_unadopted`: offered, and no agent sees it. `label_missing`: a ref leads nowhere. `policy_outdated`: the host uses an older file. */
export type RunWarningCode = 'tools_unadopted' | 'label_missing' | 'policy_outdated' | 'input_misfit'

export interface RunWarning {
  readonly code: RunWarningCode
  /** What it is about, where to look, and what to do. */
  readonly message: string
}
