import { fuzzSuite } from '../testing/fuzz/fuzz-suite.ts'

await fuzzSuite({ right: 100, wrong: 600 })
