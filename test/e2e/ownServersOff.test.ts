import { afterAll, beforeAll, expect, it } from "vitest"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { startCallingModel, startDice } from "./callingModel.ts"

const dice = startDice()
const chat = startCallingModel()
let gateway: GatewayHere
beforeAll(async () => {
  gateway = await chat.gateway({ GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" }, { mcp: { own_servers: "off" } })
})
afterAll(async () => {
  await Promise.all([gateway.dispose(), chat.stop(), dice.stop()])
})

it("a server by its address is refused where own servers are off, and is not asked", async () => {
  const server = { type: "mcp", server_label: "dice", server_url: dice.url, require_approval: "never" }
  const answer = await request(gateway, "/v1/responses", { body: { model: "house", input: "Hi", tools: [server] } })
  expect(answer.status).toBe(400)
  expect((await answer.json()).error).toMatchObject({
    param: "tools[0].server_url",
    message: expect.stringContaining("mcp.own_servers")
  })
  expect(dice.seen).toEqual([])
})
