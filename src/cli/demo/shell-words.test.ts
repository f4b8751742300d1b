// Tests that a shell parses the commands of the demo to exactly their original words.
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { commandText } from './shell-words.ts'

/** One shell for all commands: starting one takes longer than parsing. */
const readByShell = (commands: readonly string[]): readonly (readonly string[])[] => {
  const script = commands.map(command => `printf '%s\\0' ${command}; printf '\\0'`).join('\n')
  const out = execFileSync('bash', ['-s'], { encoding: 'utf8', input: script })
  return out
    .split('\0\0')
    .slice(0, -1)
    .map(words => words.split('\0'))
}

it('is read by a shell as the words it was made of', () => {
  const odd = ['plain', 'two words', "it's", '$HOME `id` \\', '"quoted"', '!!', '*', '~', '--node', '--note', 'a\nb', 'ä😀', '#', ';&|<>()']
  const word = fc.string({ unit: 'grapheme', minLength: 1 })
  const many = [odd, ...fc.sample(fc.array(word, { minLength: 1 }), 200)]
  expect(readByShell(many.map(commandText))).toEqual(many)
})

it('is broken between words where it is long, and an option stays with its value', () => {
  const words = ['npx', 'onbook', 'run', 'newsroom/workflows/experiment.yaml', '--input', '@newsroom/input.json', '--script', 'script.yaml']
  expect(commandText(words)).toBe(
    'npx onbook run newsroom/workflows/experiment.yaml \\\n    --input @newsroom/input.json --script script.yaml',
  )
})
