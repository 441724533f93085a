import { describe, expect, it } from "@effect/vitest"
import { videoBoundsAt, videoBoundsOf } from "../../src/catalogue/videoBounds.ts"
import { servedModel } from "../../src/catalogue/servedModel.ts"
import type { EntryRoute, ModelEntry } from "../../src/catalogue/Catalogue.ts"
import { bounds as sora } from "../../src/upstreams/protocols/openaiVideos/offer.ts"
import { boundsAt } from "../../src/upstreams/protocols/veo/request.ts"
import { secondsFrom, usualVideoBounds } from "../../src/upstreams/videos/VideoBounds.ts"
import type { SomeVideoBounds } from "../../src/upstreams/videos/VideoBounds.ts"

const ark = { bounds: { choosesSeconds: true } }

const model = (id: string, routes: ReadonlyArray<Partial<EntryRoute>>, more: Partial<ModelEntry> = {}) =>
  servedModel({
    id,
    kind: "video",
    routes: routes.map((route) => ({ upstream: "ark", model: "unknown", ...route })),
    contextTokens: undefined,
    ownedBy: "ark",
    ...more
  })
const boundsOf = (id: string, route: Partial<EntryRoute>, more: Partial<ModelEntry> = {}) =>
  videoBoundsAt(model(id, [route], more).routes[0] ?? {}, ark)

const seedance25 = {
  ...usualVideoBounds,
  seconds: secondsFrom(4, 30),
  defaultSeconds: -1,
  choosesSeconds: true,
  references: { images: 30, videos: 10, audios: 10 },
  audioAlone: true,
  inputVideoSeconds: 30
}

describe("the bounds of a video model", () => {
  it.each([
    ["dreamina-seedance-2-5-260628"],
    ["doubao-seedance-2-5-260628"],
    ["bytedance/seedance-2.5"],
    ["seedance-v2.5"],
    ["seedance-pro-2-5"]
  ])("are those of Seedance 2.5 for %s: the id at the upstream counts, then the gateway's", (name) => {
    expect(boundsOf("video", { model: name })).toEqual(seedance25)
    expect(boundsOf("video", { model: "my-endpoint", knownAs: name })).toEqual(seedance25)
    expect(boundsOf(name, { model: "ep-20260628" })).toEqual(seedance25)
    expect(boundsOf(name, { model: "doubao-seedance-1-0-pro-250528" }).seconds).toEqual(secondsFrom(2, 12))
  })

  it.each([["seedance-2-50"], ["seedance"], ["sandbox-video"], ["dreamina-seedance-2-0-260128"]])(
    "are the specification's for %s",
    (name) => {
      expect(boundsOf("video", { model: name })).toEqual({ ...usualVideoBounds, choosesSeconds: true })
    }
  )

  it.each([
    ["veo-2.0-generate-001", { seconds: [5, 6, 7, 8], resolutions: ["720p"], frameImages: 2 }],
    ["veo-3.0-fast-generate-001", { seconds: [4, 6, 8], resolutions: ["720p", "1080p"], frameImages: 1 }],
    ["veo-3.1-generate-preview", { seconds: [4, 6, 8], resolutions: ["720p", "1080p", "4k"], frameImages: 2 }]
  ])("are Google's for %s", (name, expected) => {
    const found = videoBoundsAt(model("video", [{ upstream: "veo", model: name }]).routes[0] ?? {}, {
      bounds: boundsAt("gemini")
    })
    expect(found).toMatchObject({ ...expected, ratios: ["16:9", "9:16"] })
    expect(found.references.images).toBe(name.includes("3.1") ? 3 : 0)
  })

  it.each([
    ["kling-v2-6", [5, 10]],
    ["wan2.2-t2v-plus", [5]],
    ["wan2.5-i2v-preview", [5, 10]]
  ])("have the lengths of %s", (name, seconds) => {
    expect(boundsOf("video", { model: name }).seconds).toEqual(seconds)
  })

  it("are the configuration's before the table's, the route's before the model's", () => {
    const video = { seconds: [5, 10], references: { images: 2 } }
    const known = { model: "dreamina-seedance-2-5-260628" }
    expect(boundsOf("video", { ...known, video })).toEqual({
      ...seedance25,
      seconds: [5, 10],
      references: { images: 2, videos: 10, audios: 10 }
    })
    const resolutions = ["4k"]
    expect(boundsOf("video", known, { resolutions })).toEqual({ ...seedance25, resolutions })
    expect(boundsOf("video", { ...known, video: { resolutions: ["2k"] } }, { resolutions }).resolutions).toEqual(["2k"])
  })

  it("have a default that they contain", () => {
    expect(videoBoundsAt({}, { bounds: sora })).toMatchObject({ seconds: [4, 8, 12], defaultSeconds: 4 })
  })

  it("are together what any route can, with the default of the first", () => {
    const both = model("video", [{ model: "dreamina-seedance-2-5-260628" }, { upstream: "sora", model: "sora-2" }])
    const upstreams = new Map<string, { readonly bounds: SomeVideoBounds }>([
      ["ark", ark],
      ["sora", { bounds: sora }]
    ])
    expect(videoBoundsOf(both, upstreams)).toEqual(seedance25)
    expect(videoBoundsOf({ routes: both.routes.toReversed() }, upstreams)).toMatchObject({
      seconds: secondsFrom(4, 30),
      defaultSeconds: 4,
      ratios: expect.arrayContaining([...usualVideoBounds.ratios])
    })
  })
})
