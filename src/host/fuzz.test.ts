// Every route, asked right once and wrong twice. Fuzzing is deep: npm run test:deep does the same for much longer.
import { fuzzSuite } from '../testing/fuzz/fuzz-suite.ts'

await fuzzSuite({ right: 1, wrong: 2 })
