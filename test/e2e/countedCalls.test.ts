import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { request } from "../request.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { adminKey } from "./adminClient.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { json, path, until } from "./videoTask.ts"

/** Upstreams in a process of their own, which count their calls. */
const upstreams = Bun.spawn([process.execPath, join(import.meta.dirname, "../upstreams/fakes/countingMain.ts")], {
  stdout: "pipe",
  stderr: "inherit"
})
const origin = upstreams.stdout
  .getReader()
  .read()
  .then(({ value }) =>
    Buffer.from(value ?? [])
      .toString()
      .trim()
  )
afterAll(async () => {
  upstreams.kill()
  await upstreams.exited
})

interface Calls {
  readonly attempts: number
  readonly failed: number
  readonly hidden: number
  readonly outpaced: number
}

describeOnEach("figures of upstreams", ({ name: engine }) => {
  /** Names of its own for each engine, since the upstreams count for both. */
  const named = (name: string) => `${name}${engine}`
  const [a, b, sick, ark, arkFull] = [named("a"), named("b"), named("sick"), named("ark"), named("arkfull")]
  let gateway: GatewayHere

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-counted-"))
    const url = await origin
    const chat = (name: string) => [name, { protocol: "openai-chat", base_url: `${url}/${name}/v1`, api_key: "k" }]
    const video = (name: string) => [name, { protocol: "ark-video", base_url: `${url}/${name}/api/v3`, api_key: "k" }]
    const price = { input: 1_000, output: 1_000 }
    const one = (upstream: string, model = "m") => ({ routes: [{ upstream, model, price }] })
    writeFileSync(
      join(folder, "gateway.yaml"),
      JSON.stringify({
        upstreams: Object.fromEntries([...[a, b, sick].map(chat), ...[ark, arkFull].map(video)]),
        models: {
          plain: one(a),
          slow: one(b, "slow"),
          failing: one(sick),
          hedged: { routes: [...one(a, "h").routes, ...one(b, "h").routes], hedge_seconds: 0.2 },
          video: { routes: [{ upstream: ark, model: "doubao-seedance-1-0-pro" }], price: { per_second: 0.01 } },
          "video-full": {
            routes: [
              { upstream: arkFull, model: "seedance-full" },
              { upstream: ark, model: "doubao-seedance-1-0-pro" }
            ],
            price: { per_second: 0.01 }
          }
        }
      })
    )
    const env = { GATEWAY_ADMIN_KEY: adminKey, ...(await gatewayEnv(`counted-${engine}`)) }
    gateway = await startGateway({ folder, env })
  })
  afterAll(() => gateway.dispose())

  const post = async (at: string, body: object) => {
    const answer = await request(gateway, at, { body })
    return {
      id: answer.headers.get("x-request-id") ?? "",
      status: answer.status,
      text: await answer.text().catch(() => "")
    }
  }
  const say = (model: string, content: string, more: object = {}) =>
    post("/v1/chat/completions", { model, max_tokens: 20, messages: [{ role: "user", content }], ...more })
  const admin = (at: string) => json(request(gateway, `/admin/v1${at}`, { key: adminKey }))
  const counts = async (): Promise<Record<string, number>> => {
    const all: Record<string, number> = await (await fetch(`${await origin}/counts`)).json()
    return Object.fromEntries(Object.entries(all).filter(([name]) => name.endsWith(engine)))
  }
  const callsBy = async (): Promise<Record<string, Calls>> => {
    const { data } = await admin("/overview/groups?by=upstream&from=1h")
    return Object.fromEntries(
      data.flatMap(({ attempts, group }: { attempts: Calls; group: string }) =>
        attempts.attempts > 0 ? [[group, attempts]] : []
      )
    )
  }
  const numbers = (calls: Record<string, Calls>) =>
    Object.fromEntries(Object.entries(calls).map(([name, { attempts }]) => [name, attempts]))
  const finished = (at: string, isOver: (of: string) => boolean) =>
    until(
      () => json(request(gateway, at)),
      ({ status }) => isOver(status)
    )
  const video = async (model: string) => {
    const content = [{ type: "text", text: "a cat" }]
    const { id: requestId, text } = await post(path, { model, content, resolution: "480p", duration: 5 })
    const task: string = JSON.parse(text).id
    return { requestId, task }
  }
  let cut = ""
  let asyncRequest = ""
  let videoRequest = ""

  it("count streams, cut ones, hedges, several answers, asynchronous work and videos as the upstreams do", async () => {
    expect((await say("plain", "hello")).status).toBe(200)
    await say("plain", "hello", { stream: true })
    cut = (await say("plain", "cut", { stream: true })).id
    await say("slow", "hello", { n: 3 })
    const hedges = Array.from({ length: 4 }, () => say("hedged", `${a}:3000`))
    expect((await Promise.all(hedges)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await say("failing", `${sick}-fails`)).status).toBeGreaterThanOrEqual(500)
    const message = { model: "plain", max_tokens: 20, messages: [{ role: "user", content: "hello" }] }
    const asynchronous = await post("/v1/messages", { ...message, async: true })
    asyncRequest = asynchronous.id
    await finished(`/v1/tasks/${JSON.parse(asynchronous.text).id}`, (status) => status === "success")
    for (const input of ["hello", "cut"]) {
      const background = await post("/v1/responses", { model: "plain", input, background: true, stream: false })
      const id: string = JSON.parse(background.text).id
      await finished(`/v1/responses/${id}`, (status) => status === "completed" || status === "failed")
    }
    const made = await video("video")
    videoRequest = made.requestId
    const moved = await video("video-full")
    await finished(`${path}/${made.task}`, (status) => status === "succeeded")
    await finished(`${path}/${moved.task}`, (status) => status === "succeeded" || status === "failed")

    const theirs = await counts()
    await expect.poll(async () => numbers(await callsBy()), { timeout: 10_000 }).toEqual(theirs)
    // And by the hours' sums.
    const calls = await callsBy()
    expect(calls[a]).toMatchObject({ failed: 1, outpaced: 4 })
    expect(calls[b]).toMatchObject({ failed: 0, outpaced: 0 })
    expect(calls[sick]?.failed).toBe(calls[sick]?.attempts)
    const { data } = await admin("/upstreams")
    const ofProcess = data.map(({ calls, name }: { calls: number; name: string }) => [name, calls])
    expect(Object.fromEntries(ofProcess.filter(([, calls]: [string, number]) => calls > 0))).toEqual(theirs)
    const page = await (await request(gateway, "/metrics", { key: adminKey })).text()
    const ofMetrics: Record<string, number> = {}
    for (const [, name = "", count] of page.matchAll(/gateway_upstream_attempts_total\{upstream="(\w+)".*\} (\d+)/g)) {
      ofMetrics[name] = (ofMetrics[name] ?? 0) + Number(count)
    }
    expect(Object.fromEntries(Object.entries(ofMetrics).filter(([, count]) => count > 0))).toEqual(theirs)
  })

  it("have the cost of what was cut and of what was not used, at the upstream that bills it", async () => {
    const { data } = await admin("/usage?by=request&since=1h&limit=100")
    const rows: ReadonlyArray<{
      outcome: string
      request_id: string
      upstream: string
      cost: object
      upstream_cost: { nano_usd: number }
    }> = data
    const ofCut = rows.filter(({ request_id }) => request_id === cut)
    expect(ofCut).toMatchObject([{ outcome: "cut", upstream: a, cost: { nano_usd: 0 } }])
    expect(ofCut[0]?.upstream_cost.nano_usd).toBeGreaterThan(0)
    const outpaced = rows.filter(({ outcome }) => outcome === "outpaced")
    expect(outpaced.map(({ upstream }) => upstream)).toEqual([a, a, a, a])
    const shown = await admin(`/requests/${cut}`)
    expect(shown).toMatchObject({ cost_usd: 0, error: "upstream_failed", attempts: [{ outcome: "cut" }] })
    const { data: groups } = await admin("/overview/groups?by=upstream&from=1h")
    for (const { group, upstream_cost_usd } of groups) {
      const ofRows = rows.filter(({ upstream }) => upstream === group)
      const sum = ofRows.reduce((total, row) => total + row.upstream_cost.nano_usd, 0)
      expect([group, upstream_cost_usd]).toEqual([group, expect.closeTo(sum / 1e9, 9)])
    }
  })

  it("say of an upstream that fails how often, and with which error", async () => {
    await request(gateway, "/admin/v1/accounts", { key: adminKey, body: { id: "other" } })
    const { secret } = await json(
      request(gateway, "/admin/v1/keys", { key: adminKey, body: { account: "other", name: "k" } })
    )
    const body = { model: "failing", messages: [{ role: "user", content: `${sick}-fails` }] }
    const asked = Array.from({ length: 24 }, (_, n) =>
      request(gateway, "/v1/chat/completions", { body, ...(n % 2 === 0 ? {} : { key: secret }) }).then((of) =>
        of.text()
      )
    )
    await Promise.all(asked)
    const words = async () => {
      const { data } = await admin("/attention")
      return data.find(({ id }: { id: string | null }) => id === sick)?.message ?? ""
    }
    await expect.poll(words, { timeout: 10_000 }).toMatch(/: \d+ of \d+ calls .*failed, all with 503/)
  })

  it("are in the rows of requests that created tasks", async () => {
    expect(await admin(`/requests/${asyncRequest}`)).toMatchObject({
      upstream: a,
      upstream_model: "m",
      attempts: [{ upstream: a, outcome: "answered", status: 200 }]
    })
    const shown = await admin(`/requests/${videoRequest}`)
    expect(shown).toMatchObject({ upstream: ark, attempts: [{ upstream: ark, outcome: "answered" }] })
    const found = await admin(`/requests?attempt=${ark}`)
    expect(found.data.map(({ request_id }: { request_id: string }) => request_id)).toContain(videoRequest)
  })
})
