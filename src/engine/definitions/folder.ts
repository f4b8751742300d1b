// Reads and checks the agents and workflows of a workspace folder. Writes nothing: a problem with one keeps all of them out.
import { isAgentFile, isWorkflowFile } from '../../core/lint/layout.ts'
import { folderOf } from '../../core/pack/identity.ts'
import { readDocument } from '../../core/workflow/read-document.ts'
import { Fault } from '../../errors.ts'
import { checkLayout } from '../packs/check-layout.ts'
import type { Workspace } from '../packs/pack-folder.ts'
import { prepareAgent } from './agents.ts'
import type { PreparedDefinition } from './publish.ts'
import { prepareWorkflow } from './workflows.ts'

export interface DefinitionFile extends PreparedDefinition {
  readonly path: string
}

/** @param isMeant by the path of a file */
export async function definitionsIn(workspace: Workspace, isMeant: (path: string) => boolean): Promise<readonly DefinitionFile[]> {
  const kinds = await Promise.all(['agents', 'workflows'].map(folder => workspace.files.kind(folder)))
  if (!kinds.includes('folder')) return []
  const { files, texts, findings } = await checkLayout(workspace)
  const meant = files.filter(path => (isAgentFile(path) || isWorkflowFile(path)) && isMeant(path))
  for (const path of meant) {
    const errors = findings.filter(({ file, severity }) => file === path && severity === 'error').length
    if (errors > 0) throw new Fault('checks_failed', { what: path, errors })
  }
  return meant.map(path => ({ ...prepareFile(path, texts), path }))
}

/** A lint rule may be switched off: an unpublishable file is refused all the same. */
function prepareFile(path: string, texts: ReadonlyMap<string, string>): PreparedDefinition {
  const text = texts.get(path)
  if (text === undefined) throw new Fault('file_unreadable', { path, reason: 'it is not text, or too large' })
  const document = readDocument(path, text)
  if (!document.ok) throw new Fault('checks_failed', { what: path, errors: document.problems.length })
  return isWorkflowFile(path)
    ? prepareWorkflow(document.value, path)
    : prepareAgent(document.value, path, named => texts.get(`${folderOf(path)}${named}`) ?? null)
}
