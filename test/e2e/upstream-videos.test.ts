import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../src/contract/fields.ts"
import { arkKey, fakeArk, refusal } from "../upstreams/fakes/ark.ts"
import { fakeSora, fileOf, soraKey } from "../upstreams/fakes/sora.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { json, path, until } from "./videoTask.ts"
import { request } from "../request.ts"

const ark = fakeArk()
const spare = fakeArk()
const sora = fakeSora()
const callbacks: Array<JsonObject> = []
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (callback) => {
    callbacks.push((await callback.json()) as JsonObject)
    return new Response()
  }
})

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-videos-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:
  ark: { protocol: ark-video, base_url: "${ark.baseUrl}", api_key: ${arkKey} }
  spare: { protocol: ark-video, base_url: "${spare.baseUrl}", api_key: ${arkKey} }
  sora: { protocol: openai-videos, base_url: "${sora.baseUrl}", api_key: ${soraKey} }
models:
  seedance: { routes: [{ upstream: ark, model: doubao-seedance-1-0-pro }] }
  either: { routes: [{ upstream: ark, model: seedance-here }, { upstream: sora, model: sora-2 }, { upstream: spare, model: seedance-there }] }
  sora-2: sora
  priced: { routes: [{ upstream: ark, model: doubao-seedance-1-0-pro }], price: { per_second: 0.01, per_search: 0 } }
  by-token: { routes: [{ upstream: ark, model: doubao-seedance-2-0-260128 }], price: { output: 10, per_search: 0 } }
  open: { routes: [{ upstream: ark, model: dreamina-seedance-2-5-260628 }], price: { output: 10, per_search: 0 } }
keys:
  - { name: rich, secret: rich-secret-0123456789abcdefg, balance_usd: 20 }
  - { name: poor, secret: poor-secret-0123456789abcdefg, balance_usd: 1.12 }
  - { name: payer, secret: payer-secret-0123456789abcdef, balance_usd: 1, limits: { concurrent_tasks: 1 } }
callbacks: { allow: [127.0.0.0/8] }
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([ark, spare, sora, receiver].map((server) => server.stop(true)))
})

const ask = (method: string, tail = "", body?: object, headers: Record<string, string> = {}) =>
  request(gateway, `${path}${tail}`, { method, body, headers })
const create = async (model: string, text: string, more: object = {}): Promise<string> => {
  const answer = await json(ask("POST", "", { model, content: [{ type: "text", text }], ...more }))
  expect(answer).toEqual({ id: expect.stringMatching(/^cgt-/) })
  return answer.id
}

const record = (id: string) => json(ask("GET", `/${id}`))

const reaching = (id: string, status: string) =>
  until(
    () => record(id),
    (record) => record.status === status
  )

/** The upstream's task for a prompt, once it is there. */
const submitted = async (prompt: string) =>
  (await until(
    () => ark.tasks.find(({ body }) => JSON.stringify(body).includes(prompt)),
    (task) => task !== undefined
  ))!

describe("a video task on Ark", () => {
  it("is created, polled, and told by callbacks, with the last frame and the upstream's own fields", async () => {
    const callback_url = `http://127.0.0.1:${receiver.port}/hook`
    const id = await create("seedance", "first cat", {
      callback_url,
      return_last_frame: true,
      human_face_mode: "soft",
      tools: [{ type: "web_search" }]
    })
    const task = await submitted("first cat")
    expect(task.body).toMatchObject({ model: "doubao-seedance-1-0-pro", human_face_mode: "soft" })
    expect(task.body).not.toHaveProperty("callback_url")
    ark.move(task.id, "running")
    await reaching(id, "running")
    ark.move(task.id, "succeeded")
    const done = await reaching(id, "succeeded")
    expect(done).toMatchObject({
      id,
      model: "seedance",
      content: {
        video_url: `https://media.example.com/${task.id}.mp4`,
        last_frame_url: `https://media.example.com/${task.id}.png`
      },
      usage: { completion_tokens: 108_900, total_tokens: 108_900, tool_usage: { web_search: 1 } },
      seed: 78_674,
      revised_prompt: "A cat, in detail"
    })
    await until(
      () => callbacks.length,
      (length) => length === 3
    )
    expect(callbacks.map(({ id, status }) => ({ id, status }))).toEqual(
      ["queued", "running", "succeeded"].map((status) => ({ id, status }))
    )
    expect(callbacks[2]).toEqual(done)
  })

  it("that the upstream refuses at once is a 400, and never was", async () => {
    const told = callbacks.length
    const before = (await json(ask("GET"))).total
    const headers = { "idempotency-key": "refused" }
    const body = {
      model: "seedance",
      content: [{ type: "text", text: "refuse:400/InvalidParameter" }],
      callback_url: `http://127.0.0.1:${receiver.port}/hook`
    }
    for (const tried of [1, 2]) {
      const refused = await ask("POST", "", body, headers)
      expect(refused.status).toBe(400)
      expect((await json(refused)).error).toMatchObject({
        code: "invalid_params",
        type: "invalid_request_error",
        message: expect.stringContaining("the parameter duration specified in the request is not valid")
      })
      expect(ark.calls.filter(({ body }) => JSON.stringify(body ?? {}).includes("refuse:400"))).toHaveLength(tried)
    }
    expect((await json(ask("GET"))).total).toBe(before)
    const id = await create("seedance", "after it", { callback_url: body.callback_url })
    await until(
      () => callbacks.length,
      (length) => length > told
    )
    expect(callbacks.slice(told)).toMatchObject([{ id, status: "queued" }])
    ark.move((await submitted("after it")).id, "succeeded")
    await reaching(id, "succeeded")
  })

  it("that is refused at once costs nothing, and is none of the tasks that a key may have", async () => {
    const headers = { authorization: "Bearer payer-secret-0123456789abcdef" }
    const payer = (text: string) => ask("POST", "", { model: "priced", content: [{ type: "text", text }] }, headers)
    const balance = () => json(fetch(`${gateway.url}/v1/balance`, { headers }))
    const before = await balance()
    expect((await payer("refuse:400/InvalidParameter")).status).toBe(400)
    expect(await balance()).toEqual(before)
    const { id } = await json(payer("a cat that is paid for"))
    expect(await balance()).not.toEqual(before)
    expect((await payer("one too many")).status).toBe(429)
    expect((await ask("DELETE", `/${id}`, undefined, headers)).status).toBe(200)
    expect(await balance()).toEqual(before)
  })

  it("goes to the model's next place that can make it where one has no room, and is told of from there", async () => {
    ark.next(() => refusal(429, "ServerOverloaded"))
    const id = await create("either", "a cat for either", { duration: 7 })
    const [task] = spare.tasks
    expect(task?.body).toMatchObject({ model: "seedance-there", duration: 7 })
    spare.move(task!.id, "succeeded")
    expect((await reaching(id, "succeeded")).content.video_url).toContain(task!.id)
    expect(
      [ark, spare].map(({ tasks }) => tasks.filter(({ body }) => body["model"] !== "doubao-seedance-1-0-pro").length)
    ).toEqual([0, 1])
    expect(sora.made).toEqual([])
  })

  it("is asked for at the length and the resolution that are held for, where the request says neither", async () => {
    const id = await create("seedance", "an eighth cat")
    const { body, id: there } = await submitted("an eighth cat")
    expect(body).toMatchObject({ duration: 5, resolution: "720p" })
    ark.move(there, "succeeded")
    expect(await reaching(id, "succeeded")).toMatchObject({ duration: 5 })
    await create("seedance", "a ninth cat --dur 9 --rs 480p")
    expect((await submitted("a ninth cat")).body).toMatchObject({ duration: 9, resolution: "480p" })
  })

  it.each([
    ["leaves out where the model chooses it", "open", {}, 30],
    ["leaves to the model", "open", { duration: -1 }, 12],
    ["leaves to an older model", "by-token", { duration: -1 }, 15]
  ])(
    "whose length the request %s is held for at its longest, and paid for as it was made",
    async (_, model, more, seconds) => {
      const prompt = `a cat of ${model} for ${seconds} s`
      const as = (key: string) => ({ authorization: `Bearer ${key}-secret-0123456789abcdefg` })
      const balance = (key: string) => json(fetch(`${gateway.url}/v1/balance`, { headers: as(key) }))
      const tools = [{ type: "web_search" }]
      const body = { model, content: [{ type: "text", text: prompt }], tools, ...more }
      const before = await balance("rich")
      // A balance below the longest video's price is refused before the upstream is called.
      expect((await ask("POST", "", body, as("poor"))).status).toBe(402)
      expect(ark.tasks.filter(({ body }) => JSON.stringify(body).includes(prompt))).toEqual([])
      const { id } = await json(ask("POST", "", body, as("rich")))
      const longest = model === "open" ? 30 : 15
      // With the first frame, of 900 tokens.
      expect((await balance("rich")).held.nano_usd).toBe((longest * 21_600 + 900) * 10_000)
      const task = await submitted(prompt)
      expect(task.body["duration"]).toEqual("duration" in more ? -1 : undefined)
      ark.move(task.id, "running")
      const read = () => json(ask("GET", `/${id}`, undefined, as("rich")))
      expect(await until(read, ({ status }) => status === "running")).not.toHaveProperty("duration")
      ark.move(task.id, "succeeded", undefined, seconds)
      const done = await until(read, ({ status }) => status === "succeeded")
      const tokens = 900 * (24 * seconds + 1)
      expect(done).toMatchObject({ duration: seconds, usage: { completion_tokens: tokens } })
      const { held, settled } = await balance("rich")
      expect([held.nano_usd, settled.nano_usd - before.settled.nano_usd]).toEqual([0, tokens * 10_000])
    }
  )

  it("fails with the upstream's own code, at once or later", async () => {
    const id = await create("seedance", "second cat")
    const error = { code: "OutputVideoSensitiveContentDetected.PolicyViolation", message: "copyright" }
    ark.move((await submitted("second cat")).id, "failed", error)
    expect((await reaching(id, "failed")).error).toEqual(error)
    const ours = await reaching(await create("seedance", "refuse:401/AuthenticationError"), "failed")
    expect(JSON.stringify(ours)).not.toMatch(/Authentication|planted/)
    const line = () =>
      gateway
        .output()
        .split("\n")
        .find((line) => line.includes('"event":"upstream.attempt"') && line.includes(`"task":"${ours.id}"`))
    await expect.poll(line).toContain("upstreams.ark.api_key")
    const fields = { upstream: "ark", model: "seedance", attempt: 1, status: 401, method: "POST" }
    expect(JSON.parse(line() ?? "{}")).toMatchObject(fields)
  })

  it("whose submit was taken and not answered is found there, and submitted once", async () => {
    const id = await create("seedance", "drop the fifth cat")
    const task = await submitted("drop the fifth cat")
    ark.move(task.id, "succeeded")
    const done = await reaching(id, "succeeded")
    expect(done.content.video_url).toContain(task.id)
    expect(ark.tasks.filter(({ body }) => JSON.stringify(body).includes("fifth cat"))).toHaveLength(1)
  })

  it("is the real video of a draft that was made there, or by the sandbox, and a draft for the sandbox", async () => {
    const promoting = (id: string) => ({ content: [{ type: "draft_task", draft_task: { id } }] })
    const drawn = await create("sandbox-video", "sixth cat", { draft: true, resolution: "480p", duration: 4, seed: 6 })
    await reaching(drawn, "succeeded")
    const real = await create("seedance", "", promoting(drawn))
    const task = await submitted("sixth cat")
    expect(task.body).toMatchObject({ content: [{ type: "text", text: "sixth cat" }], duration: 4, seed: 6 })
    expect(task.body["draft"]).toBeUndefined()
    ark.move(task.id, "succeeded")
    expect(await reaching(real, "succeeded")).toMatchObject({ draft_task_id: drawn, draft: false })

    const draft = await create("seedance", "seventh cat", { draft: true })
    const there = await submitted("seventh cat")
    const early = await ask("POST", "", { model: "seedance", ...promoting(draft) })
    expect([early.status, (await json(early)).error.message]).toEqual([400, expect.stringContaining("it is queued")])
    ark.move(there.id, "succeeded")
    await reaching(draft, "succeeded")
    await create("seedance", "", promoting(draft))
    expect((await submitted(`{"id":"${there.id}"}`)).body).toMatchObject(promoting(there.id))
    const here = await create("sandbox-video", "", { ...promoting(draft), resolution: "480p" })
    expect(await reaching(here, "succeeded")).toMatchObject({ draft_task_id: draft, seed: 78_674, duration: 5 })
  })

  it("is cancelled there too", async () => {
    const id = await create("seedance", "third cat")
    const task = await submitted("third cat")
    await until(() => ark.calls.some(({ path }) => path.endsWith(task.id)), Boolean)
    expect(await json(ask("DELETE", `/${id}`))).toEqual({})
    expect(task.status).toBe("cancelled")
    expect((await record(id)).status).toBe("cancelled")
  })
})

describe("a video task on Sora", () => {
  it("ends in a file of the gateway's own, which needs no key", async () => {
    const id = await create("sora-2", "a fourth cat", { duration: 8, ratio: "9:16" })
    const video = (await until(
      () => sora.made.at(-1),
      (video) => video !== undefined
    ))!
    expect(video.form).toMatchObject({ model: "sora-2", seconds: "8", size: "720x1280" })
    sora.move(video.id, "completed")
    const done = await reaching(id, "succeeded")
    expect(done).toMatchObject({ duration: 8, ratio: "9:16" })
    expect(done.content.video_url.startsWith(`${gateway.url}/files/`)).toBe(true)
    const file = await fetch(done.content.video_url)
    expect(Buffer.from(await file.arrayBuffer()).equals(fileOf(video.id))).toBe(true)
    const part = await fetch(done.content.video_url, { headers: { range: "bytes=4-7" } })
    expect([part.status, await part.text()]).toEqual([206, fileOf(video.id).subarray(4, 8).toString()])
  })

  it("that it can't render is refused with what it can", async () => {
    const refused = await ask("POST", "", { model: "sora-2", content: [{ type: "text", text: "cat" }], duration: 7 })
    expect(refused.status).toBe(400)
    expect((await json(refused)).error.message).toBe("duration: expected 4, 8 or 12 seconds, or -1, for sora-2; got 7")
    expect(await create("sora-2", "a cat of the usual length")).toBeTruthy()
  })
})
