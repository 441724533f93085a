import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { request } from "../request.ts"
import { runCommand } from "./command.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"
const fake = fakeUpstream("openai-chat")
let list: object = { house: { input: 1, output: 2 }, fixed: { input: 1, output: 2 } }
let status = 200
const publisher = Bun.serve({ port: 0, fetch: () => Response.json(list, { status }) })
afterAll(() => Promise.all([fake.stop(), publisher.stop(true)]))

// oxlint-disable-next-line typescript/no-explicit-any -- whatever came
type Json = any

describeOnEach("a gateway that fetches its prices", ({ name }) => {
  let gateway: GatewayProcess
  const folder = mkdtempSync(join(tmpdir(), "gateway-fetched-"))
  let env: Record<string, string> = {}
  beforeAll(async () => {
    list = { house: { input: 1, output: 2 }, fixed: { input: 1, output: 2 } }
    status = 200
    writeFileSync(join(folder, "own.json"), JSON.stringify({ fixed: { input: 5, output: 6 } }))
    writeFileSync(
      join(folder, "gateway.yaml"),
      JSON.stringify({
        prices: { refresh_hours: 24, from: `http://127.0.0.1:${publisher.port}/list.json` },
        prices_file: "own.json",
        upstreams: { up: { protocol: "openai-chat", base_url: `${fake.url}/v1` } },
        models: { house: "up", fixed: "up", "gpt-5": "up" }
      })
    )
    env = { ...(await gatewayEnv(`fetched-${name}`)), GATEWAY_ADMIN_KEY: adminKey }
    gateway = await startGateway({ folder, env })
  })
  afterAll(() => gateway.dispose())

  const admin = async (path: string): Promise<Json> => (await request(gateway, path, { key: adminKey })).json()
  const models = async (): Promise<Json> =>
    Object.fromEntries((await admin("/admin/v1/models")).data.map((model: Json) => [model.id, model]))
  const attention = async (): Promise<ReadonlyArray<string>> =>
    (await admin("/admin/v1/overview")).attention.flatMap((one: Json) => (one.what === "prices" ? [one.message] : []))
  const refresh = (...more: ReadonlyArray<string>) =>
    runCommand(folder, ["prices", "refresh", "--json", "--url", gateway.url, ...more], env)

  it("uses them at once, below its own and above the built-in ones, and tells the source and the day", async () => {
    await expect.poll(async () => (await models()).house.price_source.from).toBe("fetched list")
    const { fixed, "gpt-5": gpt, house } = await models()
    const today = new Date().toISOString().slice(0, 10)
    expect([house.price.output, house.price_source]).toEqual([2, { from: "fetched list", name: "house", as_of: today }])
    expect([fixed.price.output, fixed.price_source.from]).toEqual([6, "prices_file"])
    expect(gpt.price_source.from).toBe("built-in list")
    const body = { model: "house", max_tokens: 10, messages: "Hello" }
    const quote: Json = await (await request(gateway, "/v1/quote", { body })).json()
    expect(quote.price_source).toEqual(house.price_source)
    expect(gateway.output()).toContain("the list of prices was refreshed from")
    expect(await attention()).toEqual([])
    const checked = await runCommand(folder, ["prices", "check", "--json"], env)
    expect(checked.json<Json>().find((one: Json) => one.model === "house").from).toBe("fetched list")
  })

  it("keeps them when the list can't be fetched, and says so", async () => {
    status = 404
    const failed = await refresh()
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining("it answered with status 404; the list")])
    expect(await attention()).toEqual(["the list of prices can't be refreshed: it answered with status 404"])
    expect((await models()).house.price.output).toBe(2)
    status = 200
  })

  it("does not take a move of more than tenfold without its operator's word", async () => {
    list = {
      house: { input: 1, output: 30 },
      fixed: { input: 1, output: 2 },
      "gpt-5": { input: 1.2, cached_input: 0.12, output: 11 }
    }
    const told = (await refresh()).json<Json>()
    expect(told).toMatchObject({ prices: 3, moved: 1, accepted: false })
    expect(told.moves).toMatchObject([{ name: "house", before: { output: 2 }, offered: { output: 30 } }])
    const held = await models()
    expect([held.house.price.output, held["gpt-5"].price.output]).toEqual([2, 11])
    expect(await attention()).toEqual([
      "house: the fetched list moves the price more than tenfold, so the one before counts until gateway prices refresh --accept"
    ])
    expect((await refresh("--accept")).json()).toMatchObject({ moved: 1, accepted: true })
    expect((await models()).house.price.output).toBe(30)
    expect(await attention()).toEqual([])
    const { data } = await admin("/admin/v1/audit?action=prices.refresh")
    expect(data[0]).toMatchObject({ actor: "admin-key", after: { moved: 1, accepted: true } })
  })

  it("keeps them over a restart, and follows what a command did to its database", async () => {
    gateway.signal("SIGKILL")
    await gateway.exited
    gateway = await startGateway({ folder, env })
    expect((await models()).house.price.output).toBe(30)
    expect((await runCommand(folder, ["prices", "reset"], env)).out).toContain("The fetched list is deleted")
    const missing = await runCommand(folder, ["prices", "reset", "--url", gateway.url], env)
    expect(missing.out).toContain("There is no fetched list")
    expect((await models())["gpt-5"].price_source.from).toBe("built-in list")
  })
})
