import { fuzzSuite } from '../testing/fuzz/fuzz-suite.ts'

await fuzzSuite({ right: 200, wrong: 1_200 })
