import { describe, expect, it } from "@effect/vitest"
import { videoModelNamed } from "../../../src/catalogue/videos/videoModels.ts"
import { bounds as minimax } from "../../../src/upstreams/protocols/minimaxVideo/request.ts"
import { bounds as sora } from "../../../src/upstreams/protocols/openaiVideos/offer.ts"
import { boundedBy } from "../../../src/upstreams/videos/VideoBounds.ts"
import { readSize } from "../../../src/videos/openai/size.ts"

const soraPro = boundedBy(sora, videoModelNamed("sora-2-pro")?.bounds)

describe("a size", () => {
  it.each([
    ["1280x720", boundedBy(), "720p", "16:9", true],
    ["1280x720", boundedBy(minimax), "768p", "16:9", false],
    ["1920x1080", boundedBy(minimax), "2k", "16:9", false],
    ["1792x1024", soraPro, "1024p", "16:9", true],
    ["1024x1792", soraPro, "1024p", "9:16", true],
    ["720x720", soraPro, "720p", "16:9", false]
  ])("%s is the model's nearest", (size, bounds, resolution, ratio, isExact) => {
    expect(readSize(size, bounds)).toEqual({ resolution, ratio, isExact })
  })

  it("that none is near to is one that the model lacks", () => {
    expect(readSize("3840x2160", boundedBy()).resolution).toBe("4k")
  })
})
