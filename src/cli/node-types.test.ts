// Tests node types on the command line: a type that cannot run here is named before anything runs.
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'

const workflow = (typeId: string) => `id: gate\nobjective: Go on.\nnodes:\n  - id: n\n    typeId: ${typeId}\n`

describe('openwop D3: a node type that is unknown', () => {
  it('openwop D3: check finds it, with the types that are known', async () => {
    const cwd = temporaryFolder('scaffold', { 'workflows/gate.workflow.yaml': workflow('core.approvalGate') })
    const { code, out } = await runCli(['check', '--format', 'json'], { cwd })
    const { findings } = JSON.parse(out) as { readonly findings: readonly { readonly file: string; readonly message: string }[] }
    expect(code).toBe(1)
    expect(findings.find(({ file }) => file.endsWith('gate.workflow.yaml'))?.message).toMatch(/core\.approvalGate.*onbook\.agent/)
  })

  it('openwop D3: run FILE refuses it', async () => {
    const cwd = temporaryFolder(null, { 'gate.yaml': workflow('core.approvalGate') })
    const { code, out, err } = await runCli(['run', 'gate.yaml', '--json'], { cwd })
    expect(code).toBe(2)
    expect(`${out}${err}`).toMatch(/node_type_unknown|cannot run here/)
    expect(`${out}${err}`).toContain('core.ai.callPrompt')
  })
})
