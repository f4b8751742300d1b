// Tests every route with one valid and two malformed requests. npm run test:deep fuzzes for much longer.
import { fuzzSuite } from '../testing/fuzz/fuzz-suite.ts'

await fuzzSuite({ right: 1, wrong: 2 })
