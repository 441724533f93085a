import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { officialMethods } from "./methods.ts"
import { isServed } from "./served.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

it.each(["openai", "@anthropic-ai/sdk"] as const)("%s: what is not served is a 404 that says so", async (client) => {
  const methods = await officialMethods[client]()
  expect(methods.length).toBeGreaterThan(400)
  const requests = new Map(methods.flatMap(({ request: one }) => (one ? [[`${one.method} ${one.path}`, one]] : [])))
  const told = new Map<string, boolean>()
  for (const [name, { method, path }] of requests) {
    const response = await request(gateway, path, { method })
    told.set(name, response.status !== 404 || !(await response.text()).includes("does not serve this API"))
  }
  expect(told).toEqual(new Map([...requests].map(([name, one]) => [name, isServed(one)])))
})
