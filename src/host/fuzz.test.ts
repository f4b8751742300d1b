// Every route, asked right and asked wrong. npm run test:deep does the same for much longer.
import { fuzzSuite } from '../testing/fuzz/fuzz-suite.ts'

await fuzzSuite({ right: 5, wrong: 10 })
