// Folder: Commands about the policy.
// onbook policy show: prints the policy as sentences, in the order in which its rules apply.
import { askingOf } from '../../core/gate/grants.ts'
import type { TenantPolicy } from '../../core/gate/host-policy.ts'
import type { Input } from '../commands.ts'
import { columns } from '../report/columns.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { askingText, timeText } from './format.ts'
import { withPolicy } from './with-policy.ts'

export const show = (input: Input): Promise<number> =>
  withPolicy(input, async (book, from) => {
    const policy = (await book.get()) as TenantPolicy
    if (input.json) printJson(policy)
    else process.stdout.write(`${visible(from)}\n\n${page(policy)}`)
    return 0
  })

function page({ grants, workspaces, secrets, offer, approvals, planningCommands, orchestrator }: TenantPolicy): string {
  const rows = grants.map(grant => [String(grant.grant), grant.line === null ? '' : String(grant.line), sentence(grant), whoText(grant)])
  const listed = grants.length === 0 ? 'No grants: no tool may be used.\n' : columns([['grant', 'line', 'what', 'for'], ...rows])
  const lines = [
    `sessions read: ${workspaces === null ? 'all workspaces of their tenant' : workspaces.map(one => JSON.stringify(one)).join(', ') || 'nothing'}`,
    `preludes use secrets: ${secrets.map(one => JSON.stringify(one)).join(', ') || 'none'}`,
    `offered: ${offer.join(', ') || 'nothing'}`,
    `a person has: ${approvals.expireAfterMs === null ? 'all the time there is' : timeText(approvals.expireAfterMs)}`,
    `planning runs: ${planningCommands.join('; ') || 'no command'}`,
    `an orchestrator changes the graph: ${orchestrator.asks ? 'once a person has approved' : 'without asking'}`,
  ]
  return `${listed}\n${lines.map(line => `${visible(line)}\n`).join('')}`
}

function sentence({ tools, modes, arguments: rules = {}, approval, deny }: TenantPolicy['grants'][number]): string {
  const where = Object.entries(rules).map(([argument, patterns]) => `${argument} is ${patterns.join(' or ')}`)
  const asks = askingOf(approval)
  return [
    `${deny === true ? 'denies' : 'grants'} ${tools.join(', ')}`,
    ...(modes === undefined ? [] : [`in ${modes.join(' and ')}`]),
    ...(where.length === 0 ? [] : [`where ${where.join(' and ')}`]),
    ...(asks === null ? [] : [askingText(asks)]),
  ].join('; ')
}

function whoText({ agents, roles }: TenantPolicy['grants'][number]): string {
  const who = [...(agents === undefined ? [] : [agents.join(', ')]), ...(roles === undefined ? [] : [`role ${roles.join(', ')}`])]
  return who.join('; ') || 'everybody'
}
