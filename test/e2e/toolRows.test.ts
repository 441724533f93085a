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

it("tells calls that did not leave: refused ones, and those whose approval was denied", async () => {
  dice.seen.length = 0
  chat.want("house__roll", "house__roll")
  const tools = [registered]
  const bounded = await request(gateway, "/v1/responses", {
    body: { model: "house", input: "Roll", tools, max_tool_calls: 1 }
  })
  const first = await detail(bounded.headers.get("x-request-id"))
  expect(first.tools.map(({ outcome }: { outcome: string }) => outcome).toSorted()).toEqual(["completed", "refused"])

  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "launch", arguments: {} } }
  const unknown = await request(gateway, "/mcp/house", { body: call })
  const second = await detail(unknown.headers.get("x-request-id"))
  expect(second.tools).toMatchObject([{ server: "house", tool: "launch", outcome: "refused", cost_usd: 0, ms: 0 }])

  const asking = [{ ...registered, require_approval: "always" }]
  chat.want("house__roll")
  const asked = await (
    await request(gateway, "/v1/responses", { body: { model: "house", input: "Roll", tools: asking } })
  ).json()
  const input = [{ type: "mcp_approval_response", approval_request_id: asked.output.at(-1).id, approve: false }]
  const denied = await request(gateway, "/v1/responses", {
    body: { model: "house", previous_response_id: asked.id, input, tools: asking }
  })
  const third = await detail(denied.headers.get("x-request-id"))
  expect(third.tools).toMatchObject([{ server: "house", tool: "roll", outcome: "denied" }])
  expect(requestShown(third)).toMatch(/\nhouse\/roll +denied /)

  expect(dice.seen.filter(({ method }) => method === "tools/call")).toHaveLength(1)
  const text = await metrics()
  expect(text).toContain(`gateway_tool_calls_total{server="house",outcome="refused"} 2`)
  expect(text).toContain(`gateway_tool_calls_total{server="house",outcome="denied"} 1`)
})
