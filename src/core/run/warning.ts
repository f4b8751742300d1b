// Warnings at the start of a run: the run continues, but its input or configuration is probably a mistake.

/** `input_misfit`: the input does not fit the pack's schema. `tools_unadopted`: offered, and no agent sees it. `label_missing`: a ref leads nowhere. `policy_outdated`: the host uses an older file. */
export type RunWarningCode = 'tools_unadopted' | 'label_missing' | 'policy_outdated' | 'input_misfit'

export interface RunWarning {
  readonly code: RunWarningCode
  /** The subject, where to look, and what to do. */
  readonly message: string
}
