// The command line: reads arguments, runs one command, says how it went. Exit 0 fine, 1 findings or differences, 2 usage or I/O.
import { readFileSync } from 'node:fs'
import { Command as Parser } from 'commander'
import { Fault, type FaultCode } from '../errors.ts'
import { COMMANDS, type Command, GROUPS, type Input } from './commands.ts'
import { faultText, safeJson, visibleLines } from './report/visible.ts'

/** What somebody sent is wrong, not what was asked. */
const FINDINGS: readonly FaultCode[] = ['checks_failed', 'tests_failed', 'registry_refused', 'bundle_refused']

export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has seen enough (`| head`): not ours to complain.
    process.exit(error.code === 'EPIPE' ? 0 : 2)
  })
  let code = 0
  let json = false
  const parser = new Parser('onbook')
    .description('The system of record for what an AI agent was sent and what it was allowed to do.')
    .version(packageVersion())
    .showHelpAfterError('(add --help for usage)')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'onbook: ')) })
    .enablePositionalOptions() // the version of a bundle is not ours
    .exitOverride()
  for (const command of COMMANDS) {
    addCommand(parser, command, async input => {
      json = input.json === true || input.format === 'json'
      code = await (await command.load())(input)
    })
  }
  // What follows the name of a group is a command, also where the group alone is one.
  for (const group of parser.commands) if (group.commands.length > 0) group.allowExcessArguments()
  try {
    await parser.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    return explain(error, json)
  }
}

export function addCommand(parser: Parser, command: Command, run: (input: Input) => Promise<void>): void {
  const [first = '', second] = command.name.split(' ')
  const added = (second === undefined ? parser : groupIn(parser, first))
    .command(second ?? first)
    .summary(command.summary)
    .description(`${command.summary[0]!.toUpperCase()}${command.summary.slice(1)}.`)
  for (const argument of command.arguments) added.argument(argument)
  for (const { flags, summary, repeated } of command.options) {
    if (repeated) added.option(flags, summary, (one: string, others: readonly string[] = []) => [...others, one])
    else added.option(flags, summary)
  }
  added.addHelpText('after', `\nExample:\n  $ ${command.example}`)
  added.action(async (...args: unknown[]) => {
    if (added.commands.length > 0 && added.args.length > 0) added.error(`error: unknown command '${added.args[0]}'`)
    const names = command.arguments.map(argument => argument.replace(/[^a-z]/g, ''))
    const values = Object.fromEntries(names.map((name, index) => [name, args[index]]))
    await run({ ...(args[names.length] as object), ...values })
  })
}

function groupIn(parser: Parser, name: string): Parser {
  const known = parser.commands.find(command => command.name() === name)
  if (known !== undefined) return known
  return parser
    .command(name)
    .summary(GROUPS[name]!)
    .description(`${GROUPS[name]![0]!.toUpperCase()}${GROUPS[name]!.slice(1)}.`)
}

function explain(error: unknown, json: boolean): number {
  const { code, exitCode } = error as { code?: string; exitCode?: number }
  if (code?.startsWith('commander.')) return exitCode === 0 ? 0 : 2 // commander has said it
  if (error instanceof Fault) {
    if (json) process.stdout.write(`${safeJson(JSON.stringify(error))}\n`)
    else process.stderr.write(faultText(error))
    return FINDINGS.includes(error.code) ? 1 : 2
  }
  process.stderr.write(
    `onbook: this is a bug in onbook; please report it with these lines.\n${visibleLines((error as Error)?.stack ?? String(error)).join('\n')}\n`,
  )
  return 2
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version
}
