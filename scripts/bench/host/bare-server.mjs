// @ts-check
// The peer: node:http alone. Reads the body it is given and sends the JSON it got on standard input.
import { createServer } from 'node:http'

const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const value = JSON.parse(Buffer.concat(chunks).toString())
const server = createServer((request, response) => {
  let got = ''
  request.on('data', chunk => {
    got += chunk
  })
  request.on('end', () => {
    if (got !== '') JSON.parse(got)
    const body = JSON.stringify(value)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
