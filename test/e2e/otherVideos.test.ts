import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { dashscopeKey, fakeDashScope } from "../upstreams/fakes/dashscope.ts"
import { fakeKling, klingKey } from "../upstreams/fakes/kling.ts"
import { fakeMiniMax, minimaxKey } from "../upstreams/fakes/minimax.ts"
import { fakeVeo, veoKey } from "../upstreams/fakes/veo.ts"
import { request } from "../request.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { json, path, until } from "./videoTask.ts"

const dashscope = fakeDashScope()
const google = fakeVeo()
const kling = fakeKling()
const minimax = fakeMiniMax()

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-videos-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:
  dashscope: { protocol: dashscope-video, base_url: "${dashscope.baseUrl}", api_key: ${dashscopeKey} }
  google: { protocol: veo, base_url: "${google.baseUrl}", api_key: ${veoKey} }
  kling: { protocol: kling-video, base_url: "${kling.baseUrl}", api_key: "${klingKey}" }
  minimax: { protocol: minimax-video, base_url: "${minimax.baseUrl}", api_key: ${minimaxKey} }
callbacks: { allow: [127.0.0.0/8] }
models:
  hailuo: { routes: [{ upstream: minimax, model: MiniMax-H3 }], price: { per_second: 0.08 } }
  pictured: { routes: [{ upstream: minimax, model: MiniMax-H3 }], price: { per_second: 0.08, per_input_image: { usd: 0.04, free: 5 } } }
  wan: { routes: [{ upstream: dashscope, model: wan3.0-video }], price: { per_second: 0.1 } }
  veo: { routes: [{ upstream: google, model: veo-3.1 }], price: { per_second: 0.4 } }
  kling: { routes: [{ upstream: kling, model: kling-v3 }], price: { per_second: 0.05 } }
keys:
  - { name: payer, secret: payer-secret-0123456789abcdef, balance_usd: 100 }
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([dashscope, google, kling, minimax].map((server) => server.stop()))
})

const headers = { authorization: "Bearer payer-secret-0123456789abcdef" }
const ask = (method: string, tail = "", body?: object, more: Record<string, string> = {}) =>
  request(gateway, `${path}${tail}`, { method, body, headers: { ...headers, ...more } })
const settled = async () => (await json(fetch(`${gateway.url}/v1/balance`, { headers }))).settled.nano_usd

it.each([
  ["hailuo", 0.08, ["seed"], () => minimax.tasks.at(-1)?.id, () => minimax.move(minimax.tasks.at(-1)!.id, "succeeded")],
  ["wan", 0.1, [], () => dashscope.tasks.at(-1)?.id, () => dashscope.move(dashscope.tasks.at(-1)!.id, "SUCCEEDED")],
  ["veo", 0.4, ["seed"], () => google.operations.at(-1)?.name, () => google.end(google.operations.at(-1)!.name)],
  ["kling", 0.05, ["seed"], () => kling.tasks.at(-1)?.id, () => kling.move(kling.tasks.at(-1)!.id, "succeed")]
] as const)(
  "a task of %s is followed to its video, costs its seconds, and names what was left out",
  async (model, perSecond, adapted, made, end) => {
    const before = await settled()
    const body = { model, content: [{ type: "text", text: "a cat" }], duration: 8, seed: 5 }
    const { id } = await json(ask("POST", "", body))
    await until(made, (task) => task !== undefined)
    end()
    const done = await until(
      () => json(ask("GET", `/${id}`)),
      ({ status }) => status === "succeeded"
    )
    expect(done).toMatchObject({ duration: 8, content: { video_url: expect.stringMatching(/^https?:/) } })
    expect(done.adapted ?? []).toEqual(adapted)
    expect((await settled()) - before).toBe(Math.round(8 * perSecond * 1e9))
    if (model === "veo" || model === "hailuo") {
      expect(done.content.video_url.startsWith(`${gateway.url}/files/`)).toBe(true)
      expect((await fetch(done.content.video_url)).status).toBe(200)
    }
    if (adapted.length > 0) {
      const refused = await ask("POST", "", body, { "x-gateway-strict": "true" })
      expect([refused.status, (await json(refused)).error.message]).toEqual([400, expect.stringContaining("seed")])
    }
  }
)

it("pictures beyond the free ones are quoted, held and paid", async () => {
  const picture = {
    type: "image_url",
    role: "reference_image",
    image_url: { url: `data:image/png;base64,${btoa("pixels")}` }
  }
  const make = async (pictures: number) => {
    const content = [{ type: "text", text: "a cat" }, ...Array.from({ length: pictures }, () => picture)]
    const body = { model: "pictured", content, resolution: "768p", duration: 8 }
    const before = await json(fetch(`${gateway.url}/v1/balance`, { headers }))
    const quote = await json(request(gateway, "/v1/quote", { body: { endpoint: path, body }, headers }))
    const { id } = await json(ask("POST", "", body))
    const held = (await json(fetch(`${gateway.url}/v1/balance`, { headers }))).held.nano_usd
    const made = await until(
      () => minimax.tasks.at(-1),
      (task) => task !== undefined && task.status !== "succeeded"
    )
    minimax.move(made!.id, "succeeded")
    await until(
      () => json(ask("GET", `/${id}`)),
      ({ status }) => status === "succeeded"
    )
    const cost = (await settled()) - before.settled.nano_usd
    return [quote.estimated.cost.nano_usd, quote.maximum.cost.nano_usd, held - before.held.nano_usd, cost]
  }
  const [seconds, most] = [640_000_000, 720_000_000]
  expect(await make(5)).toEqual([seconds, most, most, seconds])
  expect(await make(9)).toEqual([seconds, most, most, seconds].map((nanoUsd) => nanoUsd + 160_000_000))
})

it("a create that Veo took and did not answer fails as ambiguous, costs nothing and is not made again", async () => {
  const [before, made] = [await settled(), google.operations.length]
  const { id } = await json(
    ask("POST", "", { model: "veo", content: [{ type: "text", text: "drop a cat" }], duration: 8 })
  )
  const done = await until(
    () => json(ask("GET", `/${id}`)),
    ({ status }) => status === "failed"
  )
  expect(done.error.code).toBe("SubmitUnconfirmed")
  expect([await settled(), google.operations.length]).toEqual([before, made + 1])
})

it.concurrent("a create that MiniMax took and did not answer is found in its list, and a waiting one is cancelled there", async () => {
  const made = minimax.tasks.length
  const body = { model: "hailuo", content: [{ type: "text", text: "drop a cat" }], duration: 11 }
  const { id } = await json(ask("POST", "", body))
  await until(
    () => json(ask("GET", `/${id}`)),
    ({ status }) => status === "queued" && minimax.calls.some(({ path }) => path.includes("page_num=1"))
  )
  expect(minimax.tasks).toHaveLength(made + 1)
  await until(
    async () => (await ask("DELETE", `/${id}`)).status,
    (status) => status === 200
  )
  expect([minimax.tasks[made]?.status, (await json(ask("GET", `/${id}`))).status]).toEqual(["cancelled", "cancelled"])
})

it.concurrent("a create that Kling took and did not answer is found by the task's id", async () => {
  const made = kling.tasks.length
  const { id } = await json(
    ask("POST", "", { model: "kling", content: [{ type: "text", text: "drop a cat" }], duration: 8 })
  )
  const task = await until(
    () => kling.tasks.at(made),
    (one) => one !== undefined
  )
  kling.move(task!.id, "succeed")
  const done = await until(
    () => json(ask("GET", `/${id}`)),
    ({ status }) => status === "succeeded"
  )
  expect(done.content.video_url).toContain(task!.id)
  expect(kling.tasks).toHaveLength(made + 1)
})
