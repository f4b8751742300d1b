// Lints and tests a version of a workspace, with the models that are scripted or recorded beside its packs.
import type { Checker } from '../engine/workspaces/checks.ts'
import type { Validator } from '../ports.ts'
import { modelsFor } from './pack-models.ts'
import { packageVersion } from './package-version.ts'

export const versionChecker = (validator: Validator): Checker => ({
  name: `onbook ${packageVersion()}`,
  validator,
  modelFor: (files, path) => modelsFor(files, undefined, false).modelFor(path),
})
