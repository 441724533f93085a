import { createByteDance } from "@ai-sdk/bytedance"
import { experimental_generateVideo as generateVideo } from "ai"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { readMp4 } from "../sandbox/video/boxes.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const tasks = "/api/v3/contents/generations/tasks"
const ask = (path: string, init: { method?: string; body?: string } = {}, key: string | null = gateway.key) =>
  fetch(`${gateway.url}${path}`, {
    ...init,
    headers: key === null ? {} : { authorization: `Bearer ${key}` }
  })
const post = (body: unknown) =>
  ask(tasks, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) })
const prompt = (text: string) => [{ type: "text", text }]
const create = async (fields: Record<string, unknown>): Promise<string> => {
  const response = await post({ model: "sandbox-video", resolution: "480p", duration: 4, ...fields })
  expect(response.status).toBe(200)
  const body = (await response.json()) as { id: string }
  expect(Object.keys(body)).toEqual(["id"])
  return body.id
}
interface Shown {
  readonly status: string
  readonly content: { readonly video_url: string; readonly last_frame_url: string }
}
const find = async (id: string) => (await (await ask(`${tasks}/${id}`)).json()) as Shown
/** Asks until the task has ended; answers every status on the way. */
const ended = async (id: string) => {
  const seen: Array<string> = []
  for (;;) {
    const record = await find(id)
    if (seen.at(-1) !== record.status) seen.push(record.status)
    if (record.status !== "queued" && record.status !== "running") return { record, seen }
    await Bun.sleep(50)
  }
}

describe("a video task, from its creation to its file", () => {
  it("is queued, runs, succeeds and is downloaded without a key, whole or in parts", async () => {
    const id = await create({ content: prompt("a cat --rt 9:16"), return_last_frame: true, seed: 7 })
    const { record, seen } = await ended(id)
    expect(seen).toEqual(["queued", "running", "succeeded"])
    expect(record).toEqual({
      id,
      model: "sandbox-video",
      status: "succeeded",
      content: { video_url: expect.any(String), last_frame_url: expect.any(String) },
      usage: { completion_tokens: 40_176, total_tokens: 40_176 },
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      seed: 7,
      resolution: "480p",
      ratio: "9:16",
      duration: 4,
      framespersecond: 24,
      service_tier: "default",
      execution_expires_after: 172_800,
      generate_audio: true,
      draft: false,
      priority: 0
    })
    const video = await fetch(record.content.video_url)
    expect(video.headers.get("content-type")).toBe("video/mp4")
    const bytes = await video.bytes()
    expect(readMp4(bytes)).toMatchObject({ width: 496, height: 864, frames: 96, seconds: 4, codec: "avc1" })
    const part = await fetch(record.content.video_url, { headers: { range: "bytes=4-7" } })
    expect([part.status, await part.text()]).toEqual([206, "ftyp"])
    const frame = await fetch(record.content.last_frame_url)
    expect(frame.headers.get("content-type")).toBe("image/png")
    expect((await fetch(`${gateway.url}/files/${id}/video.mp4`)).status).toBe(404)

    const again = await ended(await create({ content: prompt("a cat --rt 9:16"), seed: 7 }))
    expect(await (await fetch(again.record.content.video_url)).bytes()).toEqual(bytes)
  })

  it("fails with the code that the prompt asks for, in the record and in lists", async () => {
    const id = await create({ content: prompt("[[sandbox: fail=OutputVideoSensitiveContentDetected]]") })
    const { record } = await ended(id)
    const error = { code: "OutputVideoSensitiveContentDetected", message: expect.any(String) }
    expect(record).toMatchObject({ status: "failed", error })
    for (const absent of ["content", "usage", "seed", "duration"]) expect(record).not.toHaveProperty(absent)
    const list = (await (await ask(`${tasks}?filter.task_ids=${id}&filter.status=failed`)).json()) as object
    expect(list).toMatchObject({ total: 1, items: [{ ...record, failure_reason: error }] })
  })

  it("is cancelled while it is queued, refused while it runs, removed when it has ended", async () => {
    const queued = await create({ content: prompt("[[sandbox: queue=1h]]") })
    const removed = await ask(`${tasks}/${queued}`, { method: "DELETE" })
    expect([removed.status, await removed.json()]).toEqual([200, {}])
    expect((await find(queued)).status).toBe("cancelled")

    const running = await create({ content: prompt("[[sandbox: queue=0s render=1h]]") })
    while ((await find(running)).status === "queued") await Bun.sleep(50)
    const refused = await ask(`${tasks}/${running}`, { method: "DELETE" })
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([409, "false"])
    expect(await refused.json()).toEqual({
      error: {
        code: "InvalidAction.RunningTaskDeletion",
        message: expect.stringContaining("Cannot delete task because it is currently running"),
        param: null,
        type: "invalid_request_error"
      }
    })
    expect((await ask(`${tasks}/${queued}`, { method: "DELETE" })).status).toBe(200)
    expect((await ask(`${tasks}/${queued}`)).status).toBe(404)
  })
})

describe("what a video request is refused with", () => {
  const error = async (response: Response) => {
    const { error } = (await response.json()) as { error: { [name: string]: unknown } }
    expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"])
    expect(error["param"]).toBeNull()
    return [response.status, error["code"], error["type"], error["message"]]
  }
  const ok = { model: "sandbox-video", content: prompt("a cat") }
  const invalid = (message: unknown) => [400, "invalid_params", "invalid_request_error", message]

  it.each<[unknown, string]>([
    [{ content: ok.content }, "model: is required; expected a string"],
    [{ model: "sandbox-video" }, "content: is required; expected an array of 1 to 64 parts"],
    [{ ...ok, content: "a cat" }, 'content: expected an array of 1 to 64 parts; got "a cat"'],
    [{ ...ok, content: [] }, "content: expected an array of 1 to 64 parts; got an empty array"],
    [{ ...ok, duration: 3 }, "duration: expected 4 to 15 seconds, or -1, for sandbox-video; got 3"],
    [{ ...ok, frames: 30 }, "frames: expected an integer from 29 to 289 of the form 25 + 4n; got 30"],
    [{ ...ok, seed: -2 }, "seed: expected an integer between -1 and 4294967295; got -2"],
    [
      { ...ok, execution_expires_after: 1 },
      "execution_expires_after: expected an integer between 3600 and 259200; got 1"
    ],
    [{ ...ok, ratio: "2:1" }, 'ratio: expected one of adaptive, 16:9, 4:3, 1:1, 3:3, 3:4, 9:16, 21:9; got "2:1"'],
    [{ ...ok, resolution: "8k" }, 'resolution: expected one of 480p, 720p, 1080p for sandbox-video; got "8k"'],
    [{ ...ok, generate_audio: "yes" }, 'generate_audio: expected a boolean; got "yes"'],
    [{ ...ok, callback_url: "ftp://x" }, 'callback_url: expected an http or https URL; got "ftp://x"'],
    [
      { ...ok, callback_url: "http://127.0.0.1/" },
      "callback_url: expected a public address; loopback, private, link-local, reserved and metadata networks are not called"
    ],
    [
      { ...ok, safety_identifier: "x".repeat(65) },
      `safety_identifier: expected a string of at most 64 characters; got "${"x".repeat(65)}"`
    ],
    [{ ...ok, tools: [{ type: "function" }] }, 'tools[0].type: expected "web_search"; got "function"'],
    [
      { ...ok, content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" }, role: "start" }] },
      'content[0].role: expected one of first_frame, last_frame, reference_image, reference_video, reference_audio; got "start"'
    ],
    [
      { ...ok, content: [{ type: "poem" }] },
      'content[0].type: expected one of text, image_url, video_url, audio_url, draft_task; got "poem"'
    ],
    [{ ...ok, content: [{ type: "text" }] }, "content[0].text: is required; expected a string"],
    [
      { ...ok, model: "nope" },
      'model: invalid model name "nope": unknown model; GET /v1/models lists the models served'
    ],
    [{ ...ok, model: "sandbox-text" }, 'model: "sandbox-text" is a text model, not a video model']
  ])("%j", async (body, message) => {
    expect(await error(await post(body))).toEqual(invalid(message))
  })

  it("is named in the family's own codes", async () => {
    expect(await error(await post("{"))).toEqual(invalid(expect.any(String)))
    expect(await error(await post("[]"))).toEqual(invalid(expect.any(String)))
    const unauthorized = (code: string) => [401, code, "authentication_error", expect.any(String)]
    expect(await error(await ask(tasks, {}, null))).toEqual(unauthorized("auth_missing"))
    expect(await error(await ask(tasks, {}, "nobody's"))).toEqual(unauthorized("auth_invalid"))
    const lost = [404, "invalid_url", "invalid_request_error", expect.any(String)]
    expect(await error(await ask(`${tasks}/cgt-unknown`))).toEqual(lost)
    expect(await error(await ask(`${tasks}/cgt-unknown`, { method: "DELETE" }))).toEqual(lost)
    expect(await error(await ask(`${tasks}/cgt-unknown/deliveries`))).toEqual(lost)
    expect(await error(await ask("/api/v3/unknown"))).toEqual(lost)
    expect(await error(await ask(tasks, { method: "PUT", body: "{}" }))).toEqual(lost)
    for (const query of ["page_num=0", "page_size=501", "page_size=x", "filter.status=done"]) {
      expect(await error(await ask(`${tasks}?${query}`))).toEqual(invalid(expect.any(String)))
    }
  })

  it("is nothing for what real clients send beside docs/api.md", async () => {
    const response = await post({
      ...ok,
      seed: null,
      callback_url: null,
      ratio: null,
      optimize_prompt: true,
      subdivision_level: "high",
      content: [{ type: "text", text: "[[sandbox: queue=1h]]", role: "whatever" }]
    })
    expect(response.status).toBe(200)
  })
})

describe("the AI SDK's ByteDance client", () => {
  it("makes a video", async () => {
    const byteDance = createByteDance({ baseURL: `${gateway.url}/api/v3`, apiKey: gateway.key })
    const { video, warnings } = await generateVideo({
      model: byteDance.video("sandbox-video"),
      prompt: "A cat in the rain",
      aspectRatio: "1:1",
      resolution: "864x496",
      duration: 4,
      seed: 3,
      providerOptions: { bytedance: { watermark: true, pollIntervalMs: 200 } },
      download: async ({ url }) => {
        const file = await fetch(url)
        return { data: await file.bytes(), mediaType: file.headers.get("content-type") ?? undefined }
      }
    })
    expect(warnings).toEqual([])
    expect(readMp4(video.uint8Array)).toMatchObject({ width: 640, height: 640, frames: 96 })
  })

  it("says what was wrong", async () => {
    const byteDance = createByteDance({ baseURL: `${gateway.url}/api/v3`, apiKey: gateway.key })
    await expect(
      generateVideo({ model: byteDance.video("nope"), prompt: "A cat", maxRetries: 0 })
    ).rejects.toMatchObject({ statusCode: 400, message: expect.stringContaining('invalid model name "nope"') })
  })
})
