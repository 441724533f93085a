import { afterAll, beforeAll, expect, it } from "vitest"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { requestShown } from "../../src/commands/requestShown.ts"
import { startCallingModel, startDice } from "./callingModel.ts"

const dice = startDice()
const chat = startCallingModel()

let gateway: GatewayHere
beforeAll(async () => {
  const more = { mcp: { servers: { house: { url: dice.url } } }, server: { metrics: true }, log: { level: "debug" } }
  gateway = await chat.gateway({ GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" }, more)
})
afterAll(async () => {
  await Promise.all([gateway.dispose(), chat.stop(), dice.stop()])
})

const detail = async (id: string | null) => {
  const read = async () => (await request(gateway, `/v1/requests/${id}`)).json()
  await expect.poll(async () => (await read()).tools?.length).toBeGreaterThan(0)
  await expect.poll(async () => (await read()).status).toBe(200)
  return read()
}
const metrics = async () => (await fetch(`${gateway.url}/metrics`)).text()
const logged = (event: string) =>
  gateway
    .output()
    .split("\n")
    .filter((line) => line.includes(`"${event}"`))
    .map((line) => JSON.parse(line))

const own = { type: "mcp", server_label: "dice", server_url: dice.url, require_approval: "never" }
const registered = { type: "mcp", server_label: "house", require_approval: "never" }

it("tells each call of a request's tools: in its row, its line, the log and the metrics", async () => {
  chat.want("dice__roll", "dice__cheat_now", "house__roll")
  const body = { model: "house", input: "Roll", tools: [own, registered] }
  const answer = await request(gateway, "/v1/responses", { body })
  expect(answer.status).toBe(200)
  const id = answer.headers.get("x-request-id")
  const { tool_calls, tools, ...others } = await detail(id)
  expect(tool_calls).toBe(3)
  const calls = [
    { server: "house", tool: "roll", outcome: "completed" },
    { server: "own", tool: "cheat.now", outcome: "failed" },
    { server: "own", tool: "roll", outcome: "completed" }
  ]
  const byName = (some: ReadonlyArray<{ readonly server: string; readonly tool: string }>) =>
    some.toSorted((one, other) => `${one.server}/${one.tool}`.localeCompare(`${other.server}/${other.tool}`))
  expect(byName(tools)).toMatchObject(calls.map((one) => ({ ...one, cost_usd: 0 })))
  for (const { bytes } of tools) expect(bytes).toBeGreaterThan(0)
  const shown = requestShown({ ...others, tool_calls, tools })
  for (const { outcome, server, tool } of calls) expect(shown).toMatch(new RegExp(`\n${server}/${tool} +${outcome} `))

  const listed = await (await request(gateway, "/v1/requests")).json()
  expect(listed.data.find((row: { request_id: string }) => row.request_id === id)).toMatchObject({ tool_calls: 3 })

  const [line] = logged("request").filter(({ request_id }) => request_id === id)
  expect(line.tool_calls).toBe(3)
  expect(byName(line.tools)).toMatchObject(calls)
  const events = logged("tool.call").filter(({ request_id }) => request_id === id)
  expect(byName(events)).toMatchObject(
    calls.map((one) => ({ ...one, level: one.outcome === "completed" ? "debug" : "warn" }))
  )
  expect(JSON.stringify([line, events])).not.toContain("You may not")

  const text = await metrics()
  expect(text).toContain(`gateway_tool_calls_total{server="own",outcome="failed"} 1`)
  expect(text).toContain(`gateway_tool_calls_total{server="house",outcome="completed"} 1`)
  expect(text).toContain(`gateway_tool_call_seconds_count{server="own"} 2`)
})

it("tells a call of /mcp in the same way", async () => {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "roll", arguments: { sides: 6 } } }
  const answer = await request(gateway, "/mcp/house", { body })
  expect((await answer.json()).result.content).toEqual([{ type: "text", text: "A 6" }])
  const found = await detail(answer.headers.get("x-request-id"))
  expect(found).toMatchObject({
    family: "mcp",
    tool_calls: 1,
    tools: [{ server: "house", tool: "roll", outcome: "completed" }]
  })
})
