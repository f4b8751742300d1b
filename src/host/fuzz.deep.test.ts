// Fuzzes every route for much longer than fuzz.test.ts does.
import { fuzzSuite } from '../testing/fuzz/fuzz-suite.ts'

await fuzzSuite({ right: 20, wrong: 60 })
