import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { additions } from "../../src/catalogue/prices/additions.ts"
import { videoModelNamed, videoModels } from "../../src/catalogue/videos/videoModels.ts"
import { bounds as kling } from "../../src/upstreams/protocols/klingVideo/request.ts"
import { boundsAt } from "../../src/upstreams/protocols/veo/request.ts"
import { boundedBy, mergedBounds } from "../../src/upstreams/videos/VideoBounds.ts"
import type { SomeVideoBounds } from "../../src/upstreams/videos/VideoBounds.ts"
import { resolve } from "../../src/videos/resolve.ts"
import { image, request, text } from "../videos/requests.ts"

const limitsOf = (model: string, protocol: SomeVideoBounds = {}, own: SomeVideoBounds = {}) => ({
  ...boundedBy(protocol, mergedBounds(videoModelNamed(model)?.bounds, own)),
  model,
  isPassthrough: false
})
const settle = (fields: Record<string, unknown>, limits: ReturnType<typeof limitsOf>) =>
  Either.mapBoth(
    resolve(request(fields), limits, () => 1),
    {
      onLeft: ({ message }) => message,
      onRight: ({ settings: { frames, generateAudio, resolution } }) => [frames / 24, resolution, generateAudio]
    }
  )
const both = { content: [text("a cat"), image("first_frame"), image("last_frame")] }
const references = { content: [text("a cat"), image("reference_image")] }

describe("the table of video models", () => {
  it("finds each id that is sold, and has a price or says why not", () => {
    for (const model of videoModels) {
      for (const sale of model.sales) {
        for (const id of sale.models) expect([id, videoModelNamed(id)]).toEqual([id, model])
        expect("usd" in sale || sale.unpriced.length > 10).toBe(true)
      }
    }
  })

  it("has a default length that can be made at each resolution and of each input", () => {
    const veo = limitsOf("veo-3.1-generate-001", boundsAt("vertex"))
    expect(settle({}, veo)).toEqual(Either.right([4, "720p", true]))
    expect(settle({ resolution: "1080p" }, veo)).toEqual(Either.right([8, "1080p", true]))
    expect(settle({ resolution: "4k", duration: -1 }, veo)).toEqual(Either.right([8, "4k", true]))
    expect(settle(references, veo)).toEqual(Either.right([8, "720p", true]))
    expect(settle({ resolution: "1080p", duration: 4 }, veo)).toEqual(
      Either.left("duration: expected 8 seconds, or -1, for veo-3.1-generate-001; got 4")
    )
  })

  it("has lengths of the operator's without exceptions", () => {
    const veo = limitsOf("veo-3.1-generate-001", boundsAt("vertex"), { seconds: [4, 6, 8] })
    expect(settle({ resolution: "1080p" }, veo)).toEqual(Either.right([4, "1080p", true]))
  })

  it("knows the resolution that an input takes, and the sound that a mode makes", () => {
    const kling26 = limitsOf("kling-v2-6", kling)
    expect(settle({}, kling26)).toEqual(Either.right([5, "720p", false]))
    expect(settle({ resolution: "1080p" }, kling26)).toEqual(Either.right([5, "1080p", true]))
    expect(settle({ ...both, resolution: "720p" }, kling26)).toEqual(
      Either.left('resolution: expected one of 1080p with a last_frame for kling-v2-6; got "720p"')
    )
    expect(settle(both, kling26)).toEqual(Either.right([5, "1080p", false]))
    expect(limitsOf("kling-v3", kling).references.images).toBe(0)
    expect(limitsOf("kling-v1", kling).resolutions).not.toContain("4k")
    expect(settle({}, limitsOf("veo-3.1-generate-001", boundsAt("gemini")))).toEqual(Either.right([4, "720p", true]))
  })

  it.each([
    ["wan2.7-i2v", {}, "content: expected an image with role first_frame for wan2.7-i2v"],
    [
      "wan2.2-kf2v-flash",
      { content: [image("first_frame")] },
      "content: expected images with roles first_frame and last_frame for wan2.2-kf2v-flash"
    ],
    [
      "wan2.7-r2v",
      {},
      "content: expected an image or a video with role reference_image or reference_video for wan2.7-r2v"
    ]
  ])("tells %s's needs", (model, fields, message) => {
    expect(settle(fields, limitsOf(model))).toEqual(Either.left(message))
  })

  it.each([
    ["gpt-6.2-sol", 2, 10],
    ["gpt-6.2-astra", 8, 40],
    ["claude-fable-5-2", 8, 40]
  ])("stands beside the prices of texts: %s", (model, input, output) => {
    expect(additions.find(({ models }) => models.includes(model))?.usd).toMatchObject({ input, output })
  })
})
