import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../src/contract/fields.ts"
import { arkKey, fakeArk } from "../upstreams/fakes/ark.ts"
import { fakeSora, fileOf, soraKey } from "../upstreams/fakes/sora.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const ark = fakeArk()
const sora = fakeSora()
const callbacks: Array<JsonObject> = []
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    callbacks.push((await request.json()) as JsonObject)
    return new Response()
  }
})

let gateway: GatewayProcess
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-videos-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:
  ark: { protocol: ark-video, base_url: "${ark.baseUrl}", api_key: ${arkKey} }
  sora: { protocol: openai-videos, base_url: "${sora.baseUrl}", api_key: ${soraKey} }
models:
  seedance: { routes: [{ upstream: ark, model: doubao-seedance-1-0-pro }] }
  sora-2: sora
callbacks: { allow: [127.0.0.0/8] }
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([ark, sora, receiver].map((server) => server.stop(true)))
})

const path = "/api/v3/contents/generations/tasks"
const ask = (method: string, tail = "", body?: object) =>
  fetch(`${gateway.url}${path}${tail}`, {
    method,
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
// oxlint-disable-next-line typescript/no-explicit-any -- whatever came
const json = async (response: Response | Promise<Response>): Promise<any> => (await response).json()
const create = async (model: string, text: string, more: object = {}): Promise<string> => {
  const answer = await json(ask("POST", "", { model, content: [{ type: "text", text }], ...more }))
  expect(answer).toEqual({ id: expect.stringMatching(/^cgt-/) })
  return answer.id
}
const until = async <A>(look: () => Promise<A> | A, isIt: (value: A) => boolean): Promise<A> => {
  for (const deadline = Date.now() + 20_000; ; await Bun.sleep(50)) {
    const value = await look()
    if (isIt(value)) return value
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value)}`)
  }
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
  it(
    "is created, polled, and told by callbacks, with the last frame and the upstream's own fields",
    { timeout: 30_000 },
    async () => {
      const callback_url = `http://127.0.0.1:${receiver.port}/hook`
      const id = await create("seedance", "first cat", {
        callback_url,
        return_last_frame: true,
        human_face_mode: "soft"
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
    }
  )

  it("fails with the upstream's own code, at once or later", { timeout: 30_000 }, async () => {
    const refused = await reaching(await create("seedance", "refuse:400/InputTextSensitiveContentDetected"), "failed")
    expect(refused.error.code).toBe("InputTextSensitiveContentDetected")
    const id = await create("seedance", "second cat")
    const error = { code: "OutputVideoSensitiveContentDetected.PolicyViolation", message: "copyright" }
    ark.move((await submitted("second cat")).id, "failed", error)
    expect((await reaching(id, "failed")).error).toEqual(error)
    const ours = await reaching(await create("seedance", "refuse:401/AuthenticationError"), "failed")
    expect(JSON.stringify(ours)).not.toMatch(/Authentication|planted/)
  })

  it("whose submit was taken and not answered is found there, and submitted once", { timeout: 30_000 }, async () => {
    const id = await create("seedance", "drop the fifth cat")
    const task = await submitted("drop the fifth cat")
    ark.move(task.id, "succeeded")
    const done = await reaching(id, "succeeded")
    expect(done.content.video_url).toContain(task.id)
    expect(ark.tasks.filter(({ body }) => JSON.stringify(body).includes("fifth cat"))).toHaveLength(1)
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
  it("ends in a file of the gateway's own, which needs no key", { timeout: 30_000 }, async () => {
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
    expect((await json(refused)).error.message).toContain("4, 8, 12")
    expect(await create("sora-2", "a cat of the usual length")).toBeTruthy()
  })
})
