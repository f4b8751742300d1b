// Folder: The command line: commands as data, one file a command, reports. It decides nothing about prompts.
// The entry point: parses arguments, runs one command, sets the exit code. 0 success, 1 findings or differences, 2 usage or I/O errors.
import { Option as HiddenOption, Command as Parser } from 'commander'
import { packageVersion } from '../book/package-version.ts'
import { nearest } from '../core/pack/nearest.ts'
import { Fault, type FaultCode } from '../errors.ts'
import { groupPage, helpPage, verbLines } from './commands/help.ts'
import { GROUPS, type Group } from './commands/map.ts'
import { COMMANDS, type Command, type Input } from './commands.ts'
import { hasReference } from './references/syntax.ts'
import { faultText, safeJson, visibleLines } from './report/visible.ts'

/** Faults about the content that was checked, not about the usage: exit code 1. */
const FINDINGS: readonly FaultCode[] = ['checks_failed', 'tests_failed', 'registry_refused', 'bundle_refused']

export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe (`| head`): not an error.
    process.exit(error.code === 'EPIPE' ? 0 : 2)
  })
  let code = 0
  let json = false
  const parser = createParser(async (command, input) => {
    json = input.json === true || input.format === 'json'
    if (typeof input.actor === 'string') process.env.ONBOOK_ACTOR = input.actor
    const whole = hasReference(command, input) ? await (await import('./references/references.ts')).withWholeIds(command, input) : input
    code = typeof whole === 'number' ? whole : await (await command.load())(whole)
  })
  try {
    await parser.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    return explain(error, json)
  }
}

type Act = (command: Command, input: Input) => Promise<void>

/** Adds every command under its name, and hidden under its names of earlier releases. */
export function createParser(act: Act): Parser {
  const parser = new Parser('onbook')
    .version(packageVersion())
    .showHelpAfterError('(add --help for usage)')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'onbook: ')) })
    .enablePositionalOptions() // --version after a command belongs to that command
    .exitOverride()
  parser.helpInformation = helpPage
  for (const [name, { summary }] of Object.entries(GROUPS)) describe(parser.command(name), summary)
  for (const command of COMMANDS) addCommand(parser, command.name, command, act)
  for (const [name, group] of Object.entries(GROUPS)) completeGroup(childOf(parser, name), group, act)
  for (const command of COMMANDS) for (const alias of command.aliases ?? []) addCommand(parser, alias, command, act, { hidden: true })
  // The word after the name of a group is a verb, also where the group alone is a command.
  for (const group of parser.commands) if (group.commands.length > 0) group.allowExcessArguments()
  return parser
}

function addCommand(parser: Parser, name: string, command: Command, act: Act, options: { readonly hidden?: true } = {}): void {
  const [first = '', second] = name.split(' ')
  const group = second === undefined ? parser : (parser.commands.find(known => known.name() === first) ?? parser.command(first, options))
  const added = group.commands.find(known => known.name() === (second ?? first)) ?? group.command(second ?? first, options)
  bind(describe(added, command.summary), command, act)
  added.addHelpText('after', `\nExample:\n  $ ${command.example}\n`)
}

/** A group without a verb runs its default verb. `run` is also a command of its own, which takes a workflow. */
function completeGroup(parser: Parser, { default: verb }: Group, act: Act): void {
  const name = parser.name()
  if (COMMANDS.some(command => command.name === name)) {
    parser.usage(`[options] <workflow>\n       onbook ${name} <verb> [options]`).configureHelp({ visibleCommands: () => [] })
    parser.addHelpText('after', `\nVerbs:\n${verbLines(name).join('\n')}`)
    return
  }
  bind(parser, COMMANDS.find(command => command.name === `${name} ${verb}`)!, act)
  parser.helpInformation = () => groupPage(name)
}

const childOf = (parser: Parser, name: string): Parser => parser.commands.find(known => known.name() === name)!

const describe = (parser: Parser, summary: string): Parser =>
  parser.summary(summary).description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)

function bind(parser: Parser, command: Command, act: Act): void {
  for (const argument of command.arguments) parser.argument(argument)
  for (const { flags, summary, repeated, earlier } of command.options) {
    if (earlier !== undefined) parser.addOption(new HiddenOption(earlier).hideHelp())
    if (repeated) parser.option(flags, summary, (one: string, others: readonly string[] = []) => [...others, one])
    else parser.option(flags, summary)
  }
  parser.action(async (...args: unknown[]) => {
    if (parser.commands.length > 0 && parser.args.length > command.arguments.length) refuseVerb(parser, parser.args[0]!)
    const names = command.arguments.map(argument => argument.replace(/[^a-z]/g, ''))
    const values = Object.fromEntries(names.map((name, index) => [name, args[index]]))
    await act(command, { ...withLaterNames(command, parser.opts()), ...values })
  })
}

/** Renames values of flags of earlier releases to the present flags. */
function withLaterNames({ options }: Command, given: Input): Input {
  const later = Object.fromEntries(
    options.flatMap(({ flags, earlier }) => {
      const value = earlier === undefined ? undefined : given[new HiddenOption(earlier).attributeName()]
      return value === undefined ? [] : [[new HiddenOption(flags).attributeName(), value]]
    }),
  )
  return { ...later, ...given }
}

function refuseVerb(group: Parser, word: string): never {
  const verbs = group.commands.map(verb => verb.name())
  const meant = nearest(word, verbs)
  const hint = meant === null ? `Verbs: ${verbs.join(', ')}` : `Did you mean: onbook ${group.name()} ${meant}`
  group.error(`error: unknown command '${group.name()} ${word}'\n${hint}`)
}

function explain(error: unknown, json: boolean): number {
  const { code, exitCode } = error as { code?: string; exitCode?: number }
  if (code?.startsWith('commander.')) return exitCode === 0 ? 0 : 2 // commander has printed it
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
