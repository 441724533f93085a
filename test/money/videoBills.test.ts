import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import type { VideoBoundsRecord } from "../../src/catalogue/VideoBoundsRecord.ts"
import { videoAdditions } from "../../src/catalogue/prices/videoAdditions.ts"
import type { PriceInUsd } from "../../src/ledger/videoPrice.ts"
import { adminKey } from "../e2e/adminClient.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { until } from "../e2e/videoTask.ts"
import { request } from "../request.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { sumOf } from "../upstreams/fakes/bill.ts"
import { videoEntry, videoServiceNames, videoServices } from "../upstreams/fakes/videoServices.ts"
import type { VideoServiceName } from "../upstreams/fakes/videoServices.ts"
import { amountOf } from "./videoAmount.ts"
import { contentsOf, text } from "./videoContents.ts"

const key = "payer-secret-0123456789-0123456789"
const dollarKey = "dollar-secret-0123456789-012345678"
const path = "/api/v3/contents/generations/tasks"

const upstreamsOf: Readonly<Record<string, ReadonlyArray<VideoServiceName>>> = {
  volcengine: ["ark"],
  byteplus: ["ark"],
  google: ["google", "vertex"],
  minimax: ["minimax"],
  dashscope: ["dashscope"],
  openai: ["openai"]
}

interface Served {
  /** The model's id at the gateway. */
  readonly id: string
  readonly model: string
  readonly upstream: VideoServiceName
  readonly usd: PriceInUsd
  /** In its entry, if the built-in list does not have the model. */
  readonly price?: PriceInUsd
}

const modesOfKling: PriceInUsd = {
  per_second: { "720p": 0.084, "1080p": 0.112, "4k": 0.42 },
  with_audio: { per_second: { "720p": 0.126, "1080p": 0.168, "4k": 0.63 } }
}
/** At Vertex, whose sound has a price of its own; always on at Google's API. */
const withSound: PriceInUsd = { per_second: 0.2, with_audio: { per_second: 0.4 }, flex: 0.5 }

/** Every video model of the built-in list that an upstream makes, and prices of every shape in the configuration. */
const served: ReadonlyArray<Served> = [
  ...videoAdditions.flatMap(({ models, provider, usd }) =>
    models.flatMap((model) =>
      (upstreamsOf[provider] ?? []).map((upstream) => ({ id: `${upstream}/${model}`, model, upstream, usd }))
    )
  ),
  { id: "kling", model: "kling-v3", upstream: "kling", usd: modesOfKling, price: modesOfKling },
  { id: "silent-or-not", model: "veo-9", upstream: "vertex", usd: withSound, price: withSound },
  { id: "never-silent", model: "veo-9", upstream: "google", usd: withSound, price: withSound }
]

const services = videoServices({ measures: true })
const all = Object.entries(services)

let gateway: GatewayHere
const ask = (path: string, body?: object, secret = key) =>
  request(gateway, path, { key: secret, ...(body !== undefined && { body }) })
// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was answered
const read = async (path: string, body?: object, secret?: string): Promise<any> => {
  const answer = await ask(path, body, secret)
  const text = await answer.text()
  expect([path, answer.status, text]).toEqual([path, 200, text])
  return JSON.parse(text)
}

interface Create extends Readonly<Record<string, unknown>> {
  readonly model: string
  readonly resolution: string
  readonly duration?: number
}

/** Requests of a model, within its bounds: each resolution, silent, an input video, a tier, a length that it chooses. */
const creates = (id: string, bounds: VideoBoundsRecord): ReadonlyArray<Create> => {
  const content = contentsOf(bounds)[0]?.content ?? []
  const media = content.slice(1)
  const [resolution = ""] = bounds.resolutions
  // Google makes 1080p and more of eight seconds alone.
  const duration = bounds.seconds.includes(8) ? 8 : bounds.seconds[0]
  const plain = { model: id, content, resolution, ...(duration !== undefined && { duration }) }
  const clip = (seconds: number) => ({
    type: "video_url",
    role: "reference_video",
    video_url: { url: `https://media.example.com/${seconds}s.mp4` }
  })
  return [
    ...bounds.resolutions.map((one) => ({ ...plain, resolution: one })),
    { ...plain, generate_audio: false },
    ...(bounds.references.videos > 0 ? [{ ...plain, content: [text, clip(3), clip(4)] }] : []),
    ...(bounds.chooses_seconds ? [{ ...plain, duration: -1 }] : []),
    { ...plain, service_tier: "flex" },
    { ...plain, content: [{ type: "text", text: "a cat over:1" }, ...media] }
  ]
}

interface Money {
  readonly nano_usd: number
}
interface Row {
  readonly model: string
  readonly request_id: string
  readonly cost: Money
}

const rowsOf = async (): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  let after = ""
  for (;;) {
    const page = await read(`/admin/v1/usage?by=request&since=1d&limit=1000${after}`, undefined, adminKey)
    rows.push(...page.data)
    if (page.next === null) return rows
    after = `&after=${page.next}`
  }
}

describeOnEach("videos of every model with a price", ({ name }) => {
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-bills-"))
    const upstreams = Object.fromEntries(
      videoServiceNames.map((name) => [name, videoEntry(name, services[name].origin)])
    )
    const models = Object.fromEntries(
      served.map(({ id, model, price, upstream }) => [
        id,
        { routes: [{ upstream, model }], ...(price !== undefined && { price }) }
      ])
    )
    const dimes = Object.fromEntries(
      (["kling", "minimax"] as const).map((upstream) => [
        `${upstream}-dime`,
        {
          routes: [{ upstream, model: served.find((one) => one.upstream === upstream)!.model }],
          price: { per_second: 0.1 }
        }
      ])
    )
    const keys = [
      { name: "payer", secret: key, account: "payer", balance_usd: 1_000 },
      { name: "dollar", secret: dollarKey, account: "dollar", balance_usd: 1 }
    ]
    const callbacks = { allow: ["127.0.0.0/8"] }
    writeFileSync(
      join(folder, "gateway.yaml"),
      JSON.stringify({ upstreams, models: { ...models, ...dimes }, keys, callbacks })
    )
    gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey, ...(await gatewayEnv("bills")) } })
  })
  afterAll(async () => {
    await gateway.dispose()
    if (name !== "sqlite") for (const [, { stop }] of all) await stop()
  })

  it("cost what their upstream's bill says, and what was held covers it", async () => {
    const begun = new Map(all.map(([name, { bill }]) => [name, bill().length]))
    const models: ReadonlyArray<{ readonly id: string; readonly video: VideoBoundsRecord }> = (await read("/v1/models"))
      .data
    const asked = served.flatMap(({ id }) => creates(id, models.find((model) => model.id === id)!.video))
    const tried = await Promise.all(
      asked.map(async (body) => {
        const answer = await ask(path, body)
        const text = await answer.text()
        expect([body, answer.status, text]).toEqual([body, 200, text])
        const id = answer.headers.get("x-request-id")
        return [{ id, body, most: Number((await read("/v1/quote", body)).maximum.cost.nano_usd) }]
      })
    )
    const made = tried.flat()
    const finishing = setInterval(() => {
      for (const [, { finish, videos }] of all) {
        for (const { id, state } of videos()) if (state !== "ended") finish(id)
      }
    }, 50)
    const account = () => read("/admin/v1/accounts/payer", undefined, adminKey)
    const { available, granted, settled } = await until(account, ({ held }) => held.nano_usd === 0)
    clearInterval(finishing)
    const rows = await until(rowsOf, ({ length }) => length === made.length)

    // The sums of a model.
    const bills = served.map(({ id, model, upstream, usd }) => [
      id,
      sumOf(
        services[upstream]
          .bill()
          .slice(begun.get(upstream))
          .filter((line) => line.model === model)
          .map((line) => amountOf(usd, line))
      )
    ])
    const costs = served.map(({ id }) => [
      id,
      sumOf(rows.filter((row) => row.model === id).map(({ cost }) => cost.nano_usd))
    ])
    expect(costs).toEqual(bills)
    expect(settled.nano_usd).toBe(sumOf(rows.map(({ cost }) => cost.nano_usd)))
    expect(granted.nano_usd).toBe(available.nano_usd + settled.nano_usd)

    const above = made.flatMap(({ body, id, most }) => {
      const cost = rows.find(({ request_id }) => request_id === id)!.cost.nano_usd
      return cost <= most ? [] : [{ body, cost, most }]
    })
    expect(above).toEqual([])
    expect(gateway.output()).not.toContain("charge.above_hold")
  })

  it.each(["kling", "minimax"] as const)(
    "of %s that come out a second longer overdraw no balance",
    async (upstream) => {
      const content = [{ type: "text", text: "a cat over:1" }]
      const body = { model: `${upstream}-dime`, content, duration: 5 }
      const account = () => read("/admin/v1/accounts/dollar", undefined, adminKey)
      const before = (await account()).available.nano_usd
      const two = await Promise.all([ask(path, body, dollarKey), ask(path, body, dollarKey)])
      expect(two.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 402])
      expect((await account()).available.nano_usd).toBe(before - 600_000_000)
      const { finish, videos } = services[upstream]
      const { available } = await until(
        async () => {
          for (const { id, state } of videos()) if (state !== "ended") finish(id)
          return account()
        },
        ({ held }) => held.nano_usd === 0
      )
      expect(available.nano_usd).toBe(before - 600_000_000)
      await request(gateway, "/admin/v1/accounts/dollar/credit", { key: adminKey, body: { usd: "0.6" } })
    }
  )
})
