// The shape of the guides: an index with four groups, two screens a guide, every field of the files that people write.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { agentFormat } from './core/agent/agent-format.ts'
import { workflowFormat } from './core/workflow/workflow-format.ts'
import { shownIn } from './testing/stories/follow-story.ts'

const FOLDER = 'docs/guide'
const MOST_LINES = 120

const read = (name: string) => readFileSync(`${FOLDER}/${name}`, 'utf8')
const guides = readdirSync(FOLDER).filter(name => name !== 'README.md')

describe('the index', () => {
  const [, ...groups] = read('README.md').split(/^## /m)

  it('has four groups', () => {
    expect(groups.map(group => group.split('\n')[0])).toEqual(['Start', 'Understand', 'Operate', 'Extend'])
  })

  it('names each guide once, in one line', () => {
    const named = groups.flatMap(group => [...group.matchAll(/^- \[[^\]]+\]\(([^)]+)\): .+$/gm)].map(([, name]) => name!))
    expect(named.toSorted()).toEqual(guides.toSorted())
  })
})

describe.each(guides)('%s', name => {
  const commands = shownIn(`${FOLDER}/${name}`).map(({ command }) => command)

  it('copies the files that it needs', () => {
    expect(commands.filter(command => /\bprintf\b/.test(command))).toEqual([])
  })

  it('waits by commands of Onbook, and ends no process by its number', () => {
    expect(commands.filter(command => /(?:^|[;|&] *)(?:sleep|until|while|kill)\b|&$/.test(command))).toEqual([])
  })

  it('fits two screens', () => {
    expect(read(name).split('\n').length - 1).toBeLessThanOrEqual(MOST_LINES)
  })
})

it('the glossary begins with at most 12 words', () => {
  const [, firstDay = ''] = read('glossary.md').split(/^## /m)
  expect(firstDay).toMatch(/^The first day\n/)
  expect(firstDay.match(/^\| \*\*/gm)!.length).toBeLessThanOrEqual(12)
})

interface Form {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Form>>
  readonly items?: Form
  readonly additionalProperties?: Form | boolean
}

/** Names of fields that have an effect, at any depth. */
const fieldsOf = ({ properties = {}, items, additionalProperties }: Form): readonly string[] => [
  ...Object.entries(properties).flatMap(([name, form]) => (form.description === 'Of OpenWOP. Not used.' ? [] : [name, ...fieldsOf(form)])),
  ...(items === undefined ? [] : fieldsOf(items)),
  ...(typeof additionalProperties === 'object' ? fieldsOf(additionalProperties) : []),
]

it.each([
  ['agents.md', agentFormat as Form],
  ['workflows.md', workflowFormat as Form],
])('%s names every field that has an effect', (name, format) => {
  // The fields that both files share are described once.
  const text = [read(name), read('agents.md')].join('\n')
  const named = new Set([...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code!.split(/[^\w$-]+/)))
  expect(fieldsOf(format).filter(field => !named.has(field))).toEqual([])
})
