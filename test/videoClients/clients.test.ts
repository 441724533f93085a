import { createByteDance } from "@ai-sdk/bytedance"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { experimental_generateVideo as generateVideo } from "ai"
import OpenAI from "openai"
import { until } from "../e2e/videoTask.ts"
import { videoServiceNames } from "../upstreams/fakes/videoServices.ts"
import { startVideoWorld } from "./world.ts"
import type { VideoWorld } from "./world.ts"

let world: VideoWorld
beforeAll(async () => {
  world = await startVideoWorld()
})
afterAll(() => world.dispose())

const key = () => world.gateway.key

/** The AI SDK downloads nothing from this machine. */
const download = async ({ url }: { readonly url: URL }) => {
  const file = await fetch(url)
  return { data: await file.bytes(), mediaType: file.headers.get("content-type") ?? undefined }
}

describe.concurrent.each(videoServiceNames)("a video of %s, with nothing but a model and a prompt", (name) => {
  it.concurrent("is made, followed and fetched by the AI SDK's ByteDance client", async () => {
    const prompt = `a cat of bytedance at ${name}`
    const byteDance = createByteDance({ baseURL: `${world.gateway.url}/api/v3`, apiKey: key() })
    const { video, warnings } = await generateVideo({ model: byteDance.video(name), prompt, download })
    expect(warnings).toEqual([])
    expect(Buffer.compare(video.uint8Array, world.fileFor(name, prompt))).toBe(0)
  })

  it.concurrent("is made, followed and fetched by OpenAI's client", async () => {
    const prompt = `a cat of openai at ${name}`
    const client = new OpenAI({ baseURL: `${world.gateway.url}/v1`, apiKey: key() })
    const { id } = await client.videos.create({ model: name, prompt })
    const done = await until(
      () => client.videos.retrieve(id),
      ({ status }) => status === "completed" || status === "failed"
    )
    expect(done).toMatchObject({ status: "completed", progress: 100, error: null, model: name })
    const file = await (await client.videos.downloadContent(id)).bytes()
    expect(Buffer.compare(file, world.fileFor(name, prompt))).toBe(0)
  })
})
