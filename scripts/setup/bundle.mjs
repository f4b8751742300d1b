// The command line and the library in a few files instead of hundreds: most of a cold start is finding and opening modules. Started by
// build.mjs.
// @ts-check
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const [dist = 'dist'] = process.argv.slice(2)

const bundle = await rolldown({
  input: {
    main: join(dist, 'cli', 'main.js'),
    index: join(dist, 'index.js'),
    // Shares its chunks with the library, so that both have the same classes.
    core: join(dist, 'core', 'index.js'),
    'ajv-worker': join(dist, 'adapters', 'validator', 'ajv-worker.mjs'),
  },
  platform: 'node',
  // Optional peers: whoever uses them has them installed.
  external: [/^ai$/, /^@ai-sdk\//],
  // Made beside dist, where package.json's imports do not reach.
  resolve: {
    alias: {
      '#sha256': resolve(dist, 'core', 'digest', 'sha256-node.js'),
      // The build for browsers does the same work in two thirds of the time: the other one asks the environment at every token.
      yaml: resolve('node_modules', 'yaml', 'browser', 'dist', 'index.js'),
    },
  },
})
// As deep as dist/cli, so that what is found relative to a module is found from here too.
await bundle.write({
  dir: join(dist, 'bundle'),
  format: 'esm',
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
  minify: { compress: false, mangle: false },
})
