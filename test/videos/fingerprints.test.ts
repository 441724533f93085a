import { expect, it } from "vitest"
import { alice, bob } from "../tasks/engine.ts"
import { arkVideo } from "../../src/upstreams/protocols/arkVideo/arkVideo.ts"
import type { VideoJob } from "../../src/upstreams/videos/VideoUpstream.ts"
import { unansweredOf } from "../../src/videos/fingerprints.ts"
import { job } from "./videoJob.ts"

const ark = arkVideo({ name: "ark", baseUrl: "http://127.0.0.1:1", apiKey: undefined })
const wholeOf = (over: Partial<VideoJob> = {}, account = alice) =>
  unansweredOf(ark, { account }, { ...job, ...over })?.whole
const media = [{ kind: "image", role: "first_frame", url: "data:image/png;base64,AAAA" }] as const

it("a fingerprint has the list's fields of a job, and neither its text nor its inputs", () => {
  const fingerprint = unansweredOf(ark, { account: alice }, { ...job, prompt: "planted-words", media })
  expect(fingerprint?.shown).toMatchObject({ model: "seed", resolution: "480p", ratio: "16:9", duration: 4 })
  expect(JSON.stringify(fingerprint)).not.toMatch(/planted|base64/)
  // A model that is not named so in the list, and choices that are the model's, tell nothing.
  const body = { model: "house", duration: -1, ratio: "adaptive", content: [] }
  const settings = { ...job.settings, isOpenLength: true as const }
  const { shown } = unansweredOf(ark, { account: alice }, { ...job, upstreamModel: "ep-1", settings, body })!
  expect(Object.keys(shown)).toEqual(["resolution"])
})

it("requests are equal if account, text, inputs and settings are, and the seed where the caller gave one", () => {
  expect(wholeOf({ taskId: "another", createdAtMs: 9 })).toBe(wholeOf())
  for (const other of [
    wholeOf({}, bob),
    wholeOf({ prompt: "a dog" }),
    wholeOf({ media }),
    wholeOf({ upstreamModel: "other" }),
    wholeOf({ settings: { ...job.settings, frames: 120 } }),
    wholeOf({ settings: { ...job.settings, seed: 2 } })
  ]) {
    expect(other).not.toBe(wholeOf())
  }
  const body = { content: [{ type: "text", text: "a cat" }] }
  const another = { ...job.settings, seed: 2 }
  expect(wholeOf({ body, settings: another })).toBe(wholeOf({ body }))
  expect(wholeOf({ body: { ...body, seed: 2 } })).not.toBe(wholeOf({ body: { ...body, seed: 1 } }))
})
