import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "@effect/vitest"
import { problem } from "../../../src/admin/attention/Problem.ts"
import { startGateway } from "../../gatewayHere.ts"
import { request } from "../../request.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"

const publisher = Bun.serve({ port: 0, fetch: () => Response.json({ other: { input: 1 } }) })
afterAll(() => publisher.stop(true))

const attentionOf = async (more: object) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-proposal-"))
  const config = {
    upstreams: { up: { protocol: "openai-chat", base_url: "http://127.0.0.1:1/v1" } },
    models: { own: { routes: [{ upstream: "up" }], price: { input: 1, output: 2 } } },
    ...more
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  const gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
  const answer = await (await request(gateway, "/admin/v1/attention", { key: adminKey })).json()
  await gateway.dispose()
  return answer.data.filter(({ what }: { readonly what: string }) => what === "prices")
}

it("proposes to fetch the list where built-in prices of some age are in use", async () => {
  const models = { "gpt-5": "up", "gpt-5-mini": "up" }
  expect(await attentionOf({ models })).toMatchObject([
    {
      level: "warning",
      message: "gpt-5 and 1 more: the built-in list has the price, and lists change from week to week",
      action: expect.stringContaining("`prices: { refresh_hours: 24 }`"),
      page: "models"
    }
  ])
  const from = `http://127.0.0.1:${publisher.port}/list.json`
  expect(await attentionOf({ models, prices: { refresh_hours: 24, from } })).toEqual([])
  expect(await attentionOf({})).toEqual([])
})

it("alerts nobody of a proposal", () => {
  const fields = { what: "prices", id: null, message: "a", action: "b", page: null } as const
  expect([problem(fields), problem({ ...fields, isProposal: true })].map(({ isAlert }) => isAlert)).toEqual([
    true,
    false
  ])
})
