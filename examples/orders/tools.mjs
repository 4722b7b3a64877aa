// The tools of the store: one call a line on standard input, one answer a line on standard output.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const orders = JSON.parse(readFileSync(new URL('orders.json', import.meta.url), 'utf8'))

const tools = new Map([['store.listOrders', async (user) => orders.filter((order) => order.user === user)]])

async function answer({ provider, tool, args }) {
  const serve = tools.get(`${provider}.${tool}`)

  if (!serve) return { error: `There is no tool ${tool} in ${provider}.` }

  try {
    return { result: await serve(...args) }
  } catch (failure) {
    return { error: failure instanceof Error ? failure.message : String(failure) }
  }
}

// Calls are answered as they finish, which need not be the order in which they came.
createInterface({ input: process.stdin }).on('line', async (line) => {
  const call = JSON.parse(line)

  process.stdout.write(`${JSON.stringify({ id: call.id, ...(await answer(call)) })}\n`)
})
