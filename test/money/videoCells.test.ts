import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { VideoBoundsRecord } from "../../src/catalogue/VideoBoundsRecord.ts"
import { videoModels } from "../../src/catalogue/videos/videoModels.ts"
import type { PriceInUsd } from "../../src/ledger/videoPrice.ts"
import { adminKey } from "../e2e/adminClient.ts"
import { until } from "../e2e/videoTask.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { videoEntry, videoServiceNames, videoServices } from "../upstreams/fakes/videoServices.ts"
import type { VideoServiceName } from "../upstreams/fakes/videoServices.ts"
import { amountOf } from "./videoAmount.ts"
import { clip, contentsOf, image, text } from "./videoContents.ts"

const key = "cells-secret-0123456789-0123456789"
const path = "/api/v3/contents/generations/tasks"
const makers: Readonly<Record<string, ReadonlyArray<VideoServiceName>>> = {
  volcengine: ["ark"],
  byteplus: ["ark"],
  google: ["google", "vertex"],
  minimax: ["minimax"],
  dashscope: ["dashscope"],
  kling: ["kling"],
  openai: ["openai"]
}

interface Sold {
  readonly id: string
  readonly model: string
  readonly upstream: VideoServiceName
  readonly usd: PriceInUsd
  /** The list has no price. */
  readonly isUnpriced: boolean
}

/** Every model of the table that an upstream makes. Those without a price have one of the operator's. */
const sold: ReadonlyArray<Sold> = videoModels.flatMap(({ bounds, sales }) =>
  sales.flatMap((sale) =>
    sale.models.flatMap((model) =>
      Object.keys(bounds).length === 0 && !("usd" in sale)
        ? []
        : (makers[sale.provider] ?? []).map((upstream) => ({
            id: `${upstream}/${model}`,
            model,
            upstream,
            usd: "usd" in sale ? sale.usd : upstream === "ark" ? { output: 5 } : { per_second: 0.5 },
            isUnpriced: !("usd" in sale)
          }))
    )
  )
)

interface Cell {
  readonly model: string
  readonly resolution?: string
  readonly duration?: number
}

/** Each resolution with each input: the default, the shortest and the longest length, silent, and at another tier. */
const cellsOf = (id: string, bounds: VideoBoundsRecord): ReadonlyArray<Cell> =>
  contentsOf(bounds).flatMap(({ content, inputs }) => {
    const plain = { model: id, content }
    const fitting = (bounds.narrower ?? []).filter(
      ({ at, from }) => at === undefined && from?.includes(inputs) !== false
    )
    const resolutions = fitting.reduce((all, one) => one.resolutions ?? all, bounds.resolutions)
    return [
      plain,
      ...resolutions.flatMap((resolution) => {
        const less = (bounds.narrower ?? []).filter(
          ({ at, from }) => at?.includes(resolution) !== false && from?.includes(inputs) !== false
        )
        const seconds = less.reduce((all, one) => one.seconds ?? all, bounds.seconds)
        const at = { ...plain, resolution }
        return [
          at,
          { ...at, duration: seconds[0]! },
          { ...at, duration: seconds.at(-1)!, generate_audio: false },
          { ...at, service_tier: "flex" }
        ]
      })
    ]
  })

/** What lies just outside: other resolutions, lengths, inputs. */
const outsideOf = (id: string, bounds: VideoBoundsRecord): ReadonlyArray<object> => {
  const plain = { model: id, content: contentsOf(bounds)[0]!.content }
  const { frame_images, narrower = [], needs, references, resolutions, seconds } = bounds
  return [
    ...["480p", "768p", "2k", "4k"]
      .filter((one) => !resolutions.includes(one))
      .map((resolution) => ({ ...plain, resolution })),
    { ...plain, duration: seconds.at(-1)! + 1 },
    ...narrower.flatMap(({ at, from, seconds: few }) =>
      few === undefined || at === undefined || from !== undefined
        ? []
        : [
            {
              ...plain,
              resolution: at.find((one) => resolutions.includes(one)),
              duration: seconds.find((one) => !few.includes(one))
            }
          ]
    ),
    ...(references.images === 0 ? [{ ...plain, content: [text, image("reference_image")] }] : []),
    ...(references.videos === 0 ? [{ ...plain, content: [text, clip] }] : []),
    ...(frame_images === 0 ? [{ ...plain, content: [text, image("first_frame")] }] : []),
    ...(frame_images < 2 ? [{ ...plain, content: [text, image("first_frame"), image("last_frame")] }] : []),
    ...(needs === undefined || needs === "text" ? [] : [{ ...plain, content: [text] }])
  ]
}

const services = videoServices({ measures: true })
const all = Object.entries(services)
const folder = mkdtempSync(join(tmpdir(), "gateway-cells-"))
let gateway: GatewayHere

beforeAll(async () => {
  const upstreams = Object.fromEntries(videoServiceNames.map((name) => [name, videoEntry(name, services[name].origin)]))
  const models = Object.fromEntries(
    sold.map(({ id, isUnpriced, model, upstream, usd }) => [
      id,
      { routes: [{ upstream, model }], ...(isUnpriced && { price: usd }) }
    ])
  )
  const keys = [{ name: "cells", secret: key, account: "cells", balance_usd: 100_000 }]
  const callbacks = { allow: ["127.0.0.0/8"] }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models, keys, callbacks }))
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(async () => {
  await gateway.dispose()
  for (const [, { stop }] of all) await stop()
  rmSync(folder, { recursive: true, force: true })
})

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was answered
const read = async (at: string, body?: object, secret = key): Promise<any> => {
  const answer = await request(gateway, at, { key: secret, ...(body !== undefined && { body }) })
  const text = await answer.text()
  expect([at, body, answer.status, text]).toEqual([at, body, 200, text])
  return JSON.parse(text)
}

const boundsOf = async (): Promise<ReadonlyMap<string, VideoBoundsRecord>> => {
  const { data } = await read("/v1/models")
  return new Map(data.map((one: { id: string; video: VideoBoundsRecord }) => [one.id, one.video]))
}

const videosAt = () => all.reduce((sum, [, { videos }]) => sum + videos().length, 0)

interface Row {
  readonly model: string
  readonly request_id: string
  readonly cost: { readonly nano_usd: number }
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

const inBatches = async <A, B>(items: ReadonlyArray<A>, each: (item: A) => Promise<B>): Promise<ReadonlyArray<B>> => {
  const done: Array<B> = []
  for (let at = 0; at < items.length; at += 40) done.push(...(await Promise.all(items.slice(at, at + 40).map(each))))
  return done
}

describe("a cell of the table of video models", () => {
  it("is quoted, held, created, billed by the upstream and charged, each for the same", async () => {
    const bounds = await boundsOf()
    const cells = sold.flatMap(({ id }) => cellsOf(id, bounds.get(id)!))
    const finishing = setInterval(() => {
      for (const [, { finish, videos }] of all) {
        for (const { id, state } of videos()) if (state !== "ended") finish(id)
      }
    }, 50)
    const made = await inBatches(cells, async (body) => {
      const { maximum } = await read("/v1/quote", body)
      const answer = await request(gateway, path, { key, body })
      const text = await answer.text()
      expect([body, answer.status, text]).toEqual([body, 200, text])
      return { body, most: Number(maximum.cost.nano_usd), id: answer.headers.get("x-request-id") }
    })
    await until(
      () => read("/admin/v1/accounts/cells", undefined, adminKey),
      ({ held }) => held.nano_usd === 0
    )
    clearInterval(finishing)
    const rows = await until(rowsOf, ({ length }) => length === made.length)
    const sorted = (amounts: ReadonlyArray<number>) => amounts.toSorted((one, other) => one - other)
    const bills = sold.map(({ id, model, upstream, usd }) => [
      id,
      sorted(
        services[upstream]
          .bill()
          .filter((line) => line.model === model)
          .map((line) => amountOf(usd, line))
      )
    ])
    const charges = sold.map(({ id }) => [
      id,
      sorted(rows.filter(({ model }) => model === id).map(({ cost }) => cost.nano_usd))
    ])
    expect(charges).toEqual(bills)
    const byId = new Map(rows.map((row) => [row.request_id, row.cost.nano_usd]))
    expect(made.filter(({ id, most }) => (byId.get(id ?? "") ?? Infinity) > most)).toEqual([])
    expect(gateway.output()).not.toContain("charge.above_hold")
  }, 300_000)

  it("is the last that is taken: what lies outside is a 400 that no upstream sees", async () => {
    const bounds = await boundsOf()
    const before = videosAt()
    const outside = sold.flatMap(({ id }) => outsideOf(id, bounds.get(id)!))
    const taken = await inBatches(outside, async (body) => {
      const answer = await request(gateway, path, { key, body })
      return answer.status === 400 ? [] : [{ body, status: answer.status, text: await answer.text() }]
    })
    expect(taken.flat()).toEqual([])
    expect(videosAt()).toBe(before)
  }, 120_000)
})
