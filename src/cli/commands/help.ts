// Prints `onbook --help`: daily commands with a line each, then every group with its verbs. 80 columns.

import { COMMANDS } from '../commands.ts'
import { DAILY, GROUPS } from './map.ts'

const WIDTH = 80
const INDENT = 2
const NAMES = 12

export function helpPage(): string {
  const daily = DAILY.map(name => line(name, COMMANDS.find(command => command.name === name)!.summary))
  const groups = Object.entries(GROUPS).flatMap(([name, { summary, verbs }]) => [line(name, summary), ...wrapped(verbs)])
  return [
    'Usage: onbook <command> [options]',
    '',
    'The system of record for what an AI agent was sent',
    'and what it was allowed to do.',
    '',
    'Daily:',
    ...daily,
    '',
    'Groups (onbook <group> <verb>; without a verb, a group lists):',
    ...groups,
    '',
    'onbook <command> --help shows options and an example.',
    '',
  ].join('\n')
}

/** Prints `onbook <group> --help`. */
export function groupPage(group: string): string {
  const { summary, default: verb } = GROUPS[group]!
  return [
    `Usage: onbook ${group} <verb> [options]`,
    '',
    `${summary[0]!.toUpperCase()}${summary.slice(1)}. Without a verb: ${verb}.`,
    '',
    ...verbLines(group),
    '',
    `onbook ${group} <verb> --help shows arguments, options and an example.`,
    '',
  ].join('\n')
}

export const verbLines = (group: string): readonly string[] =>
  GROUPS[group]!.verbs.map(verb => line(verb, COMMANDS.find(({ name }) => name === `${group} ${verb}`)!.summary))

const line = (name: string, text: string): string => `${' '.repeat(INDENT)}${name.padEnd(NAMES)}${text}`

function wrapped(words: readonly string[]): readonly string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || INDENT + NAMES + last.length + 1 + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.map(text => line('', text))
}
