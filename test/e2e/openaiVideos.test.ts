import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI, { toFile } from "openai"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { readMp4 } from "../sandbox/video/boxes.ts"
import { fakeArk, arkKey } from "../upstreams/fakes/ark.ts"
import { request } from "../request.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { filed, fileServer, png } from "./videoFiles.ts"
import { json, path as arkPath, until } from "./videoTask.ts"

const files = fileServer()
const callbacks: Array<Record<string, unknown>> = []
const told = async (callback: Request) => {
  callbacks.push((await callback.json()) as Record<string, unknown>)
  return new Response()
}
const receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: told })
const ark = fakeArk({ media: `http://127.0.0.1:${files.port}` })

let gateway: GatewayHere
let client: OpenAI
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-openai-videos-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:
  ark: { protocol: ark-video, base_url: "${ark.baseUrl}", api_key: ${arkKey} }
models:
  seedance: { routes: [{ upstream: ark, model: doubao-seedance-1-0-pro }] }
  priced: { routes: [{ upstream: ark, model: doubao-seedance-1-0-pro }], price: { per_second: 0.5 } }
keys:
  - { name: poor, secret: poor-secret-0123456789abcdefg, balance_usd: 1 }
  - { name: texts, secret: text-secret-0123456789abcdefg, models: [sandbox-text] }
callbacks: { allow: [127.0.0.0/8] }
`
  )
  gateway = await startGateway({ folder })
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([files, receiver, ark].map((server) => server.stop(true)))
})

const ask = (method: string, tail = "", body?: object, headers: Record<string, string> = {}) =>
  request(gateway, `/v1/videos${tail}`, { method, body, headers })
const retrieve = (id: string) => () => client.videos.retrieve(id)
const ended = (id: string) => until(retrieve(id), ({ status }) => status === "completed" || status === "failed")
const seconds = "4" as const
/** A prompt whose video is not rendered. */
const queued = "[[sandbox: queue=1h]]"
const small = "864x496" as never

describe("a video in OpenAI's shape, by its client", () => {
  it("is created, followed and downloaded, whole or in part, and is the same task at Ark's path", async () => {
    const created = await client.videos.create({ model: "sandbox-video", prompt: "a cat", seconds, size: small })
    expect(created).toEqual({
      id: expect.stringMatching(/^cgt-/),
      object: "video",
      model: "sandbox-video",
      status: "queued",
      progress: 0,
      created_at: expect.any(Number),
      completed_at: null,
      expires_at: null,
      error: null,
      prompt: null,
      remixed_from_video_id: null,
      seconds: "4",
      size: "864x496"
    })
    const { id } = created
    expect(await ended(id)).toEqual({
      ...created,
      status: "completed",
      progress: 100,
      completed_at: expect.any(Number)
    })
    const file = await (await client.videos.downloadContent(id)).bytes()
    expect(readMp4(file)).toMatchObject({ width: 864, height: 496, seconds: 4 })
    const part = await ask("GET", `/${id}/content`, undefined, { range: "bytes=4-7" })
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      `bytes 4-7/${file.length}`,
      "ftyp"
    ])
    const task = await json(request(gateway, `${arkPath}/${id}`))
    expect(task).toMatchObject({ id, status: "succeeded", duration: 4, resolution: "480p", ratio: "16:9" })
    expect(await client.videos.delete(id)).toEqual({ id, object: "video.deleted", deleted: true })
    await expect(client.videos.retrieve(id)).rejects.toMatchObject({ status: 404, code: "invalid_request_error" })
  })

  it("takes an image as its first frame, whose ratio it has", async () => {
    for (const type of ["image/png", ""]) {
      const image = await toFile(png(360, 640), "frame.png", { type })
      const { id } = await client.videos.create({
        model: "sandbox-video",
        prompt: queued,
        seconds,
        input_reference: image
      })
      expect((await client.videos.retrieve(id)).size).toBe("720x1280")
    }
    const given = await client.videos.create({
      model: "sandbox-video",
      prompt: queued,
      input_reference: { image_url: `data:image/png;base64,${png(500, 500).toString("base64")}` }
    })
    expect([given.size, given.seconds]).toEqual(["960x960", "5"])
  })

  it("is listed page by page in both orders, with the tasks of Ark's path", async () => {
    const ids: Array<string> = []
    for (let at = 0; at < 5; at++) {
      const content = [{ type: "text", text: queued }]
      const body = { model: "sandbox-video", content }
      ids.push((await json(request(gateway, arkPath, { method: "POST", body }))).id)
    }
    const newest: Array<string> = []
    for await (const video of client.videos.list({ limit: 2 })) {
      newest.push(video.id)
      if (newest.length === 5) break
    }
    expect(newest).toEqual(ids.toReversed())
    const page = await client.videos.list({ limit: 2, order: "asc", after: ids[1]! })
    expect(page.data.map(({ id }) => id)).toEqual(ids.slice(2, 4))
    expect(page).toMatchObject({ has_more: true, last_id: ids[3] })
    const last = await client.videos.list({ order: "asc", after: ids[3]! })
    expect([last.data.map(({ id }) => id), last.has_more]).toEqual([[ids[4]], false])
    await expect(client.videos.list({ after: "cgt-none" })).rejects.toMatchObject({ status: 400, param: "after" })
  })

  it("is cancelled while queued, refused while in progress, and failed with that code", async () => {
    const waiting = await client.videos.create({ model: "sandbox-video", prompt: queued })
    expect(await client.videos.delete(waiting.id)).toMatchObject({ deleted: false })
    expect(await client.videos.retrieve(waiting.id)).toMatchObject({
      status: "failed",
      error: { code: "cancelled", message: expect.any(String) }
    })
    const running = await client.videos.create({ model: "sandbox-video", prompt: "[[sandbox: queue=0s render=1h]]" })
    await until(retrieve(running.id), ({ status }) => status === "in_progress")
    await expect(client.videos.delete(running.id)).rejects.toMatchObject({ status: 409, code: "conflict" })
    await expect(client.videos.downloadContent(running.id)).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining("not completed")
    })
    const failed = await client.videos.create({ model: "sandbox-video", prompt: "[[sandbox: fail=TooRude]]" })
    expect(await ended(failed.id)).toMatchObject({ status: "failed", error: { code: "TooRude" }, completed_at: null })
  })

  it("has neither thumbnails nor remixes, and says so", async () => {
    const { id } = await client.videos.create({ model: "sandbox-video", prompt: queued })
    await expect(client.videos.downloadContent(id, { variant: "thumbnail" })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining("no thumbnail")
    })
    await expect(client.videos.remix(id, { prompt: "b" })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining("no remixes")
    })
    await expect(client.videos.edit({ prompt: "b", video: { id } })).rejects.toMatchObject({ status: 404 })
  })
})

describe("a create in OpenAI's shape", () => {
  it("goes to its upstream as Ark's, without what was left out", async () => {
    await client.videos.create({ model: "seedance", prompt: "plain" })
    await client.videos.create({ model: "seedance", prompt: "full", seconds: "8", size: "1792x1024" })
    const [plain, full] = ["plain", "full"].map((text) =>
      ark.tasks.find(({ body }) => JSON.stringify(body).includes(text))
    )
    const content = [{ type: "text", text: "plain" }]
    expect(plain?.body).toEqual({ model: "doubao-seedance-1-0-pro", content, duration: 5, resolution: "720p" })
    expect(full?.body).toMatchObject({ duration: 8, resolution: "1080p", ratio: "16:9" })
  })

  it("names its own fields in what it is refused with", async () => {
    const refusal = async (body: object) => {
      const answer = await ask("POST", "", { model: "sandbox-video", prompt: "a cat", ...body })
      const { error } = (await answer.json()) as { error: Record<string, unknown> }
      return [answer.status, error["param"], error["message"]]
    }
    expect(await refusal({ seconds: "99" })).toEqual([400, "seconds", expect.stringMatching(/^seconds: expected/)])
    expect(await refusal({ size: "3840x2160" })).toEqual([400, "size", expect.stringMatching(/^size: resolution: /)])
    expect(await refusal({ size: "wide" })).toEqual([400, "size", expect.stringContaining("1280x720")])
    expect(await refusal({ prompt: " " })).toEqual([400, "prompt", expect.stringMatching(/^prompt: expected/)])
    expect(await refusal({ input_reference: "x" })).toEqual([400, "input_reference", expect.stringContaining("http")])
    expect(await refusal({ input_reference: { file_id: "f" } })).toEqual([
      400,
      "input_reference.image_url",
      "input_reference.image_url: is required; expected a string"
    ])
    expect(await refusal({ prompt: undefined })).toEqual([400, "prompt", expect.stringContaining("is required")])
  })

  it("sends a form again under one key and makes one task, whatever its boundary", async () => {
    const create = (prompt: string) =>
      client.videos.create(
        { model: "sandbox-video", prompt, input_reference: new File([png(64, 64)], "a.png", { type: "image/png" }) },
        { headers: { "idempotency-key": "form-1" } }
      )
    const first = await create(queued)
    expect(await create(queued)).toEqual(first)
    await expect(create("another")).rejects.toMatchObject({ status: 409 })
  })

  it("needs a permitted model and a balance that covers it", async () => {
    const as = (apiKey: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
    const video = { prompt: "a cat", seconds: "4" as const }
    await expect(
      as("text-secret-0123456789abcdefg").videos.create({ model: "sandbox-video", ...video })
    ).rejects.toMatchObject({ status: 403 })
    await expect(
      as("poor-secret-0123456789abcdefg").videos.create({ model: "priced", ...video })
    ).rejects.toMatchObject({
      status: 402,
      code: "insufficient_quota"
    })
    const quote = await json(
      request(gateway, "/v1/quote", {
        method: "POST",
        body: { endpoint: "/v1/videos", body: { model: "priced", ...video } }
      })
    )
    expect(quote).toMatchObject({ endpoint: "/v1/videos", basis: "exact", estimated: { cost: { usd: "2.00" } } })
  })

  it("has its row among requests, with its task", async () => {
    const { id } = await client.videos.create({ model: "sandbox-video", prompt: queued })
    const look = () => json(request(gateway, `/v1/requests?task=${id}`))
    const rows = await until(look, ({ data }) => data.length > 0)
    expect(rows.data[0]).toMatchObject({ endpoint: "/v1/videos", model: "sandbox-video", status: 200 })
  })

  it("is refused where the form is hostile", async () => {
    const send = async (body: BodyInit, type: string) => {
      const answer = await fetch(`${gateway.url}/v1/videos`, {
        method: "POST",
        body,
        headers: { authorization: `Bearer ${gateway.key}`, "content-type": type }
      })
      const { error } = (await answer.json()) as { error: { message: string } }
      return [answer.status, error.message]
    }
    const form = "multipart/form-data; boundary=b"
    const part = (name: string, value: string) =>
      `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    expect(await send("", form)).toEqual([400, expect.stringContaining("closing boundary")])
    expect(await send(part("a", "x").repeat(100), form)).toEqual([400, expect.stringContaining("more than 64 parts")])
    expect(await send(part("prompt", "x".repeat(2_000_000)), form)).toEqual([413, expect.stringContaining("fields")])
    expect(await send(`${part("model", "sandbox-video")}--b--`, form)).toEqual([
      400,
      "prompt: is required; expected a string"
    ])
    expect(await send("x", "multipart/form-data")).toEqual([400, expect.stringContaining("boundary")])
  })
})

describe("a finished video's bytes", () => {
  it("come from the upstream's address, in ranges and without a redirect to it", async () => {
    const { id } = await client.videos.create({ model: "seedance", prompt: "its file" })
    const task = await until(
      () => ark.tasks.find(({ body }) => JSON.stringify(body).includes("its file")),
      (found) => found !== undefined
    )
    ark.move(task!.id, "succeeded")
    await ended(id)
    for (const place of ["there", "moved"] as const) {
      files.are(place)
      const whole = await ask("GET", `/${id}/content`)
      expect([whole.status, whole.headers.get("content-type")]).toEqual([200, "video/mp4"])
      expect(Buffer.from(await whole.bytes()).equals(filed)).toBe(true)
      const part = await ask("GET", `/${id}/content`, undefined, { range: "bytes=10-19" })
      expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 10-19/${filed.length}`])
      expect(await part.text()).toBe(filed.toString("utf8", 10, 20))
    }
    files.are("gone")
    const gone = await ask("GET", `/${id}/content`)
    expect([gone.status, (await json(gone)).error.message]).toEqual([404, expect.stringContaining("no longer")])
  })
})

describe("callbacks of a task made in OpenAI's shape", () => {
  it("carry that record, whatever is asked at Ark's path", async () => {
    const video = { model: "sandbox-video", prompt: "told", seconds: "4", size: "864x496" }
    const created = await json(ask("POST", "", { ...video, callback_url: `http://127.0.0.1:${receiver.port}/` }))
    await ended(created.id)
    const heard = await until(
      () => callbacks.filter(({ id }) => id === created.id),
      (some) => some.at(-1)?.["status"] === "completed"
    )
    expect(heard.at(0)).toEqual(created)
    expect(heard.at(-1)).toEqual({ ...created, status: "completed", progress: 100, completed_at: expect.any(Number) })
  })
})
