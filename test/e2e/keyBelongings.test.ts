import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { arkKey, fakeArk } from "../upstreams/fakes/ark.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { request } from "../request.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const keyOf = (name: string) => `sk-${name}-0123456789-0123456789-${name}`
const [alfa, beta, gama] = ["alfa", "beta", "gama"].map(keyOf)
const nameIn = (headers: Record<string, string>) => headers["authorization"]?.slice(-4) ?? ""
let limited = ""

/** Runs code in containers that only their key knows. */
const responses = fakeUpstream("openai-responses", {
  answer: ({ body, headers }) => {
    const name = nameIn(headers)
    if (limited === name) return Response.json({ error: { code: "rate_limit_exceeded" } }, { status: 429 })
    const [, given] = /"container":"(\w+)"/.exec(JSON.stringify(body)) ?? []
    const id = given ?? `cntr_${name}_${crypto.randomUUID().slice(0, 8)}`
    if (!id.includes(name)) {
      return Response.json({ error: { message: `no container ${id}`, type: "invalid_request_error" } }, { status: 404 })
    }
    const code = { type: "code_interpreter_call", id: "ci_1", status: "completed", container_id: id, code: "1" }
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
    const response = { id: "resp_up", object: "response", created_at: 1, status: "completed", model: "gpt-5.1" }
    return Response.json({ ...response, output: [code], usage })
  }
})
const ark = fakeArk()
afterAll(() => Promise.all([responses.stop(), ark.stop()]))

describeOnEach("what an upstream keeps for one of its keys", ({ name: engine }) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-belongings-"))
  const secretOf = (account: string) => `${account}-key-0123456789-0123456789-0123`
  const write = (keys: object, arkKeys: object) =>
    writeFileSync(
      join(folder, "gateway.yaml"),
      JSON.stringify({
        upstreams: {
          pool: { protocol: "openai-responses", base_url: `${responses.url}/v1`, ...keys },
          ark: { protocol: "ark-video", base_url: ark.baseUrl, ...arkKeys }
        },
        models: { m: "pool", video: "ark" },
        keys: ["ada", "bob"].map((account) => ({ name: account, account, secret: secretOf(account) })),
        unpriced: "allow"
      })
    )
  const arkPool = { keys: [arkKey, keyOf("none")] }
  let gateway: GatewayProcess
  beforeAll(async () => {
    write({ api_key: alfa }, arkPool)
    gateway = await startGateway({ folder, env: await gatewayEnv(`belongings-${engine}`) })
  })
  afterAll(() => gateway.dispose())

  const reload = async (keys: object, arkKeys: object = arkPool) => {
    const before = gateway.output().length
    write(keys, arkKeys)
    gateway.signal("SIGHUP")
    while (!gateway.output().slice(before).includes("reloaded (")) await Bun.sleep(5)
  }
  /** The answer's container, and the keys that were asked. */
  const run = async (conversation: string, container: unknown = { type: "auto" }, account = "ada") => {
    const asked = responses.asked.length
    const body = { model: "m", input: conversation, tools: [{ type: "code_interpreter", container }] }
    const response = await request(gateway, "/v1/responses", { body, key: secretOf(account) })
    const text = await response.text()
    const [, id = ""] = /"container_id":"(\w+)"/.exec(text) ?? []
    return {
      id,
      status: response.status,
      message: /"message":\s?("(?:[^"\\]|\\.)*")/.exec(text)?.[1],
      keys: responses.asked.slice(asked).map(({ headers }) => nameIn(headers))
    }
  }
  const containerOf = async (key: string) => {
    for (let at = 0; ; at++) {
      const { id, keys } = await run(`conversation ${at} of ${key}`)
      if (keys[0] === key) return id
    }
  }

  it("goes to that key, whatever the conversation; what came before the list, to its first key", async () => {
    const before = await run("before")
    expect(before.id).toContain("alfa")
    await reload({ keys: [alfa, beta] })
    const made = await containerOf("beta")
    for (const turn of ["a", "b", "c", "d", "e"]) {
      expect(await run(turn, made)).toMatchObject({ status: 200, keys: ["beta"], id: made })
      expect(await run(turn, before.id)).toMatchObject({ status: 200, keys: ["alfa"], id: before.id })
    }
    const both = await request(gateway, "/v1/responses", {
      key: secretOf("ada"),
      body: {
        model: "m",
        input: "x",
        tools: [made, before.id].map((container) => ({ type: "code_interpreter", container }))
      }
    })
    expect(both.status).toBe(404)
    expect(await both.text()).toContain("was made with another key of the upstream")
  })

  it("is not asked of another key while its own is limited, and is unknown to another account", async () => {
    const made = await containerOf("beta")
    expect(await run("bob's", made, "bob")).toMatchObject({ status: 404, keys: [] })
    limited = "beta"
    const { keys, status } = await run("a", made)
    limited = ""
    expect(status).toBe(429)
    expect(new Set(keys)).toEqual(new Set(["beta"]))
  })

  it("fails once that key is gone, and is there again with the key", async () => {
    const made = await containerOf("beta")
    for (const keys of [{ keys: [alfa, gama] }, { keys: [alfa] }, { api_key: alfa }]) {
      await reload(keys)
      const gone = await run("a", made)
      expect(gone).toMatchObject({ status: 404, keys: [] })
      expect(gone.message).toContain("the key that made it is gone from this upstream")
    }
    await reload({ api_key: beta })
    expect(await run("a", made)).toMatchObject({ status: 200, keys: ["beta"] })
    await reload({ keys: [gama, beta] })
    expect(await run("a", made)).toMatchObject({ status: 200, keys: ["beta"] })
  })

  it("is a video that its key makes, polls and cancels; a refused key is passed over", async () => {
    const create = async () => {
      const body = { model: "video", content: [{ type: "text", text: `a fox ${crypto.randomUUID()}` }] }
      const made = await request(gateway, "/api/v3/contents/generations/tasks", { body, key: secretOf("ada") })
      return String((await made.json()).id)
    }
    const taskOf = async (id: string) =>
      (await request(gateway, `/api/v3/contents/generations/tasks/${id}`, { key: secretOf("ada") })).json()
    const submitted = ark.tasks.length
    const ids = [await create(), await create(), await create(), await create()]
    while (ark.tasks.length < submitted + ids.length) await Bun.sleep(10)
    const [first, ...others] = ark.tasks.slice(submitted)
    for (const { id } of others) ark.move(id, "succeeded")
    const isOver = async (id: string) => (await taskOf(id)).status === "succeeded"
    while ((await Promise.all(ids.map(isOver))).filter(Boolean).length < others.length) await Bun.sleep(20)
    const polls = ark.calls.filter(({ method, path }) => method === "GET" && path.includes("cgt-"))
    expect(polls.length).toBeGreaterThan(0)
    for (const { headers } of polls) expect(headers["authorization"]).toBe(`Bearer ${arkKey}`)
    // The one that still runs, without its key.
    await reload({ api_key: beta }, { keys: [keyOf("none"), keyOf("more")] })
    const open = ids[(await Promise.all(ids.map(isOver))).indexOf(false)] ?? ""
    expect(first).toBeDefined()
    let task = await taskOf(open)
    while (task.status !== "failed") {
      await Bun.sleep(20)
      task = await taskOf(open)
    }
    expect(task.error.message).toContain("The key that made it is gone")
  })
})
