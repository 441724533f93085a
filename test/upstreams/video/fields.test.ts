import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { arkVideo } from "../../../src/upstreams/protocols/arkVideo/arkVideo.ts"
import { fates as arkFates } from "../../../src/upstreams/protocols/arkVideo/request.ts"
import { fates as soraFates } from "../../../src/upstreams/protocols/openaiVideos/offer.ts"
import { openaiVideos } from "../../../src/upstreams/protocols/openaiVideos/openaiVideos.ts"
import { dashscopeVideo } from "../../../src/upstreams/protocols/dashscopeVideo/dashscopeVideo.ts"
import { fates as dashscopeFates, generationOf } from "../../../src/upstreams/protocols/dashscopeVideo/generations.ts"
import { klingVideo } from "../../../src/upstreams/protocols/klingVideo/klingVideo.ts"
import { fates as klingFates } from "../../../src/upstreams/protocols/klingVideo/request.ts"
import { fates as minimaxFates } from "../../../src/upstreams/protocols/minimaxVideo/request.ts"
import { fates as veoFates } from "../../../src/upstreams/protocols/veo/request.ts"
import { veo } from "../../../src/upstreams/protocols/veo/veo.ts"
import { minimaxVideo } from "../../../src/upstreams/protocols/minimaxVideo/minimaxVideo.ts"
import type { VideoServices } from "../../../src/upstreams/videos/videoApi.ts"
import { boundedFields, videoFields } from "../../../src/upstreams/videos/videoFields.ts"
import type { FieldFates, VideoField } from "../../../src/upstreams/videos/videoFields.ts"
import type { VideoJob, VideoMedia, VideoSettings, VideoUpstream } from "../../../src/upstreams/videos/VideoUpstream.ts"
import { arkKey, fakeArk } from "../fakes/ark.ts"
import { dashscopeKey, fakeDashScope } from "../fakes/dashscope.ts"
import { fakeKling, klingKey } from "../fakes/kling.ts"
import { fakeMiniMax, minimaxKey } from "../fakes/minimax.ts"
import { fakeSora, soraKey } from "../fakes/sora.ts"
import { fakeVeo, veoKey } from "../fakes/veo.ts"
import { job, settings } from "./job.ts"
import { using } from "./world.ts"

interface Case {
  readonly fates: FieldFates
  /** It gets the caller's body. */
  readonly isPassthrough?: true
  readonly upstream: Effect.Effect<VideoUpstream, never, VideoServices>
  readonly model: string
  /** The request that the fields are added to. */
  readonly usual: Partial<VideoSettings>
  /** Inputs that the model can't do without. */
  readonly media?: ReadonlyArray<VideoMedia>
  /** Another value of `resolution`, and its size if it is not that of 1080p. */
  readonly resolution: string
  readonly size?: Pick<VideoSettings, "width" | "height">
  /** The length at which that resolution is made, if it is not the usual one. */
  readonly frames?: number
  /** The last create that the fake has got. */
  readonly sent: () => unknown
}

const minimax = fakeMiniMax()
const dashscope = fakeDashScope()
const google = fakeVeo()
const kling = fakeKling()
const ark = fakeArk()
const sora = fakeSora()
afterAll(() => Promise.all([minimax, dashscope, google, kling, ark, sora].map((fake) => fake.stop())))

const pixels = `data:image/png;base64,${btoa("pixels")}`
const image = (role: "first_frame" | "last_frame" | "reference_image", url = pixels): VideoMedia => ({
  kind: "image",
  role,
  url
})
const reference = image("reference_image")

/** A model of each of DashScope's wires. */
const wan = ["wan3.0-video", "wan2.7-t2v", "wan2.7-i2v", "wan2.7-r2v", "wan2.6-t2v", "wan2.6-i2v"]
const dashscopeCases = Object.fromEntries(
  wan.map((model): [string, Case] => [
    `dashscope-video, ${model}`,
    {
      fates: dashscopeFates[generationOf(model)],
      upstream: Effect.sync(() =>
        dashscopeVideo({ name: "dashscope", baseUrl: dashscope.baseUrl, apiKey: Redacted.make(dashscopeKey) })
      ),
      model,
      usual: { frames: 120 },
      ...(model.endsWith("i2v") && { media: [image("first_frame")] }),
      ...(model.endsWith("r2v") && { media: [reference] }),
      resolution: "1080p",
      sent: () => dashscope.tasks.at(-1)?.body
    }
  ])
)

const cases: Readonly<Record<string, Case>> = {
  "ark-video": {
    fates: arkFates,
    isPassthrough: true,
    upstream: Effect.sync(() => arkVideo({ name: "ark", baseUrl: ark.baseUrl, apiKey: Redacted.make(arkKey) })),
    model: "seedance",
    usual: {},
    resolution: "1080p",
    sent: () => ark.tasks.at(-1)?.body
  },
  "openai-videos": {
    fates: soraFates,
    upstream: openaiVideos({ name: "sora", baseUrl: sora.baseUrl, apiKey: Redacted.make(soraKey) }),
    model: "sora-2-pro",
    usual: {},
    resolution: "1024p",
    size: { width: 1792, height: 1024 },
    sent: () => {
      const { file, form } = sora.made.at(-1) ?? {}
      return { file, form }
    }
  },
  "minimax-video": {
    fates: minimaxFates,
    upstream: minimaxVideo({ name: "minimax", baseUrl: minimax.baseUrl, apiKey: Redacted.make(minimaxKey) }),
    model: "MiniMax-H3",
    usual: { resolution: "768p", frames: 120 },
    resolution: "2k",
    sent: () => minimax.tasks.at(-1)?.body
  },
  ...dashscopeCases,
  "kling-video": {
    fates: klingFates,
    upstream: Effect.sync(() => klingVideo({ name: "kling", baseUrl: kling.baseUrl, apiKey: Redacted.make(klingKey) })),
    model: "kling-v3",
    usual: {},
    resolution: "1080p",
    sent: () => {
      // The task's name differs in each.
      const { external_task_id: _, ...body } = kling.tasks.at(-1)?.body ?? {}
      return body
    }
  },
  "veo, Google's API": {
    fates: veoFates.gemini,
    upstream: veo({ name: "veo", baseUrl: google.baseUrl, apiKey: Redacted.make(veoKey) }),
    model: "veo-3.1",
    usual: {},
    resolution: "1080p",
    frames: 192,
    sent: () => google.operations.at(-1)?.body
  },
  "veo, Vertex": {
    fates: veoFates.vertex,
    upstream: veo({ name: "veo", baseUrl: google.vertexUrl, apiKey: Redacted.make(veoKey) }),
    model: "veo-3.1",
    usual: {},
    resolution: "1080p",
    frames: 192,
    sent: () => google.operations.at(-1)?.body
  }
}

let tasks = 0
/** The change that gives a request a field. */
const giving: Readonly<
  Record<VideoField, (one: Case) => Partial<Omit<VideoJob, "settings">> & { settings?: Partial<VideoSettings> }>
> = {
  prompt: () => ({ prompt: "a dog" }),
  first_frame: () => ({ media: [image("first_frame")] }),
  last_frame: () => ({ media: [image("first_frame"), image("last_frame", `${pixels}AAAA`)] }),
  reference_image: () => ({ media: [reference] }),
  reference_video: () => ({
    media: [reference, { kind: "video", role: "reference_video", url: "https://a.example.com/v.mp4" }]
  }),
  reference_audio: () => ({
    media: [reference, { kind: "audio", role: "reference_audio", url: "https://a.example.com/a.mp3" }]
  }),
  resolution: ({ resolution, size }) => ({ settings: { resolution, ...(size ?? { width: 1920, height: 1080 }) } }),
  ratio: () => ({ settings: { ratio: "9:16", width: 720, height: 1280 } }),
  duration: () => ({ settings: { frames: 192 } }),
  frames: () => ({ settings: { frames: 57, byFrames: true } }),
  seed: () => ({ settings: { seed: 77 } }),
  generate_audio: () => ({ settings: { generateAudio: false } }),
  return_last_frame: () => ({ settings: { returnLastFrame: true } }),
  watermark: () => ({ settings: { watermark: true } }),
  camera_fixed: () => ({ settings: { cameraFixed: true } }),
  tools: () => ({ settings: { webSearch: true } }),
  draft: () => ({ settings: { draft: true } }),
  priority: () => ({ settings: { priority: 3 } }),
  service_tier: () => ({ settings: { serviceTier: "flex" } }),
  safety_identifier: () => ({}),
  output_format: () => ({}),
  omni_reference_task_type: () => ({}),
  "asset://": () => ({ media: [image("first_frame", "asset://7")] })
}

const pixelPart = (role: string, url = pixels) => ({ type: "image_url", role, image_url: { url } })
const text = { type: "text", text: "a cat" }
const beside = (...parts: ReadonlyArray<object>) => ({ content: [text, ...parts] })
/** The same as in the body of a caller. */
const body: Readonly<Record<VideoField, JsonObject>> = {
  prompt: { content: [{ type: "text", text: "a dog" }] },
  first_frame: beside(pixelPart("first_frame")),
  last_frame: beside(pixelPart("first_frame"), pixelPart("last_frame")),
  reference_image: beside(pixelPart("reference_image")),
  reference_video: beside({
    type: "video_url",
    role: "reference_video",
    video_url: { url: "https://a.example/v.mp4" }
  }),
  reference_audio: beside(pixelPart("reference_image"), {
    type: "audio_url",
    role: "reference_audio",
    audio_url: { url: "https://a.example/a.mp3" }
  }),
  "asset://": beside(pixelPart("first_frame", "asset://7")),
  resolution: { resolution: "1080p" },
  ratio: { ratio: "9:16" },
  duration: { duration: 8 },
  frames: { frames: 57 },
  seed: { seed: 77 },
  generate_audio: { generate_audio: false },
  return_last_frame: { return_last_frame: true },
  watermark: { watermark: true },
  camera_fixed: { camera_fixed: true },
  tools: { tools: [{ type: "web_search" }] },
  draft: { draft: true },
  priority: { priority: 3 },
  service_tier: { service_tier: "flex" },
  safety_identifier: { safety_identifier: "end-user-1" },
  output_format: { output_format: "mov" },
  omni_reference_task_type: { omni_reference_task_type: "edit" }
}
const usualBody: JsonObject = { model: "seedance", content: [text], duration: 4, resolution: "720p" }

const isDecided = (field: VideoField): field is Exclude<VideoField, (typeof boundedFields)[number]> =>
  !boundedFields.some((one) => one === field)

// The table of docs/videos.md, cell by cell: what it says of a field is what the fake gets.
describe.each(Object.entries(cases))("a field at %s", (_, one) => {
  it.live.each(videoFields.filter(isDecided))("%s", (field) =>
    using(one.upstream)((upstream) =>
      Effect.gen(function* () {
        const fate = one.fates[field]
        const { settings: changed, ...more } = giving[field](one)
        const own = { ...one.usual, ...(field === "resolution" && one.frames !== undefined && { frames: one.frames }) }
        const asked = {
          taskId: `cgt-${++tasks}`,
          upstreamModel: one.model,
          media: one.media ?? [],
          settings: settings(own)
        }
        const usual = job({
          ...asked,
          ...("media" in more ? { media: more.media.slice(0, 1) } : {})
        })
        const request = job({
          ...asked,
          taskId: `cgt-${++tasks}`,
          ...more,
          settings: settings({ ...own, ...changed })
        })
        const fit = upstream.fit?.({ ...request, given: new Set([field]) }) ?? { type: "fits" as const, adapted: [] }
        if (fate === "refused") return expect(fit.type).toBe("refused")
        const isNamed = fate !== "carried"
        expect(fit).toEqual({ type: "fits", adapted: isNamed ? [field] : [] })
        const passing = one.isPassthrough === true
        yield* upstream.submit(passing ? { ...usual, body: usualBody } : usual)
        const before = one.sent()
        const given = { ...usualBody, ...body[field] }
        yield* upstream.submit(passing ? { ...request, body: given } : request)
        if (passing) expect(one.sent()).toEqual(given)
        const isSent = fate === "carried" || fate === "changed"
        expect(Bun.deepEquals(one.sent(), before)).toBe(!isSent)
      })
    )
  )
})
