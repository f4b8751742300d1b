// Every story of the questions prints what a person has read in its golden file.
import { resolve } from 'node:path'
import { it } from 'vitest'
import { expectGolden } from '../src/testing/golden.ts'
import { STORIES, tell } from './jobs/stories.mjs'

it.each(Object.keys(STORIES))('the story "%s" is told as its golden file holds it', async name => {
  expectGolden(`stories/${name}`, await tell(resolve('.'), name))
})
