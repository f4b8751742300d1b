// @ts-check
// A first application: one agent, one function that it may call.
import { onbook } from 'onbook'

const script = `${import.meta.dirname}/app.yaml`
const order = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
const run = (/** @type {any} */ { id }) => ({ id, status: 'shipped' })
const tools = [{ name: 'order_status', description: 'Looks up an order.', inputSchema: order, run }]
const book = await onbook({ model: 'scripted/small', script, tools })
const reply = await book.say('support', 'Where is order 7?')
console.log(`${reply.text}\nWhat the model was sent: npx onbook show ${reply.runId} --node session --step 2`)
await book.close()
