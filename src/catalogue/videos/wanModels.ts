import { alibaba } from "../prices/pricePages.ts"
import { secondsFrom } from "../../upstreams/videos/VideoBounds.ts"
import type { SomeVideoBounds } from "../../upstreams/videos/VideoBounds.ts"
import { noReferences, yuan } from "./VideoModel.ts"
import type { VideoModel } from "./VideoModel.ts"

const seconds = secondsFrom(2, 15)
const ofText: SomeVideoBounds = { ...noReferences, seconds, frameImages: 0 }
const ofFrames: SomeVideoBounds = { ...noReferences, seconds, needs: "first_frame" }
const ofOneFrame: SomeVideoBounds = { ...ofFrames, frameImages: 1 }
const ofReferences: SomeVideoBounds = {
  seconds,
  frameImages: 0,
  references: { audios: 0 },
  needs: "references",
  // Of all input videos together, five seconds are billed.
  inputVideoSeconds: 5
}
/** The pixels that the models before 2.7 take for a text (`size`). */
const sizes = {
  "480p": { "16:9": [832, 480], "1:1": [624, 624], "9:16": [480, 832] },
  "720p": { "16:9": [1280, 720], "4:3": [1088, 832], "1:1": [960, 960], "3:4": [832, 1088], "9:16": [720, 1280] },
  "1080p": { "16:9": [1920, 1080], "4:3": [1632, 1248], "1:1": [1440, 1440], "3:4": [1248, 1632], "9:16": [1080, 1920] }
} as const
const ofOldText: SomeVideoBounds = {
  ...ofText,
  sizes,
  ratios: ["16:9", "4:3", "1:1", "3:4", "9:16"],
  narrower: [{ at: ["480p"], ratios: ["16:9", "1:1", "9:16"] }]
}
const hd = { resolutions: ["720p", "1080p"] } as const
const any = { resolutions: ["480p", "720p", "1080p"] } as const
/** The outer ones alone: the "plus" models of Wan 2.2 have no 720p. */
const plus = { resolutions: ["480p", "1080p"] } as const
const silent = { seconds: [5], sound: "never" } as const
const always = { ...hd, sound: "always" } as const
const perSecond27 = { per_second: { "720p": 0.1, "1080p": 0.15 } }
const perSecond25 = { per_second: { "480p": 0.05, "720p": 0.1, "1080p": 0.15 } }
const perSecond22 = { per_second: { "480p": yuan(0.14), "1080p": yuan(0.7) } }
const perSecondFlash = { per_second: { "480p": yuan(0.1), "720p": yuan(0.2), "1080p": yuan(0.48) } }
const happyHorse = { per_second: { "480p": 0.07, "720p": 0.14, "1080p": 0.18 } }
const happyHorse10 = { per_second: { "720p": 0.14, "1080p": 0.24 } }

/** Wan and HappyHorse at Alibaba's Model Studio: from 3 on one model for all inputs, before that one for each kind. */
export const wanModels: ReadonlyArray<VideoModel> = [
  {
    named: /wan3\.0-video-prime/i,
    bounds: any,
    sales: [
      {
        ...alibaba,
        models: ["wan3.0-video-prime"],
        usd: { per_second: { "480p": 0.068, "720p": 0.14, "1080p": 0.28 } }
      }
    ]
  },
  {
    named: /wan3\.0-video/i,
    bounds: any,
    sales: [{ ...alibaba, models: ["wan3.0-video"], usd: { per_second: { "480p": 0.05, "720p": 0.1, "1080p": 0.2 } } }]
  },
  {
    named: /wan2\.7-t2v/i,
    bounds: { ...ofText, ...always },
    sales: [{ ...alibaba, models: ["wan2.7-t2v"], usd: perSecond27 }]
  },
  {
    named: /wan2\.7-i2v/i,
    bounds: { ...ofFrames, ...always },
    sales: [{ ...alibaba, models: ["wan2.7-i2v"], usd: perSecond27 }]
  },
  {
    named: /wan2\.7-r2v/i,
    bounds: { ...ofReferences, ...always },
    sales: [{ ...alibaba, models: ["wan2.7-r2v"], usd: perSecond27 }]
  },
  {
    named: /wan2\.6-t2v/i,
    bounds: { ...ofOldText, ...hd },
    sales: [{ ...alibaba, models: ["wan2.6-t2v"], usd: perSecond27 }]
  },
  {
    named: /wan2\.6-i2v/i,
    bounds: { ...ofOneFrame, ...hd },
    sales: [
      { ...alibaba, models: ["wan2.6-i2v"], usd: perSecond27 },
      { ...alibaba, models: ["wan2.6-i2v-flash"], unpriced: "Model Studio's figure could not be read" }
    ]
  },
  {
    named: /wan2\.6-r2v/i,
    bounds: { ...ofReferences, ...always },
    sales: [
      {
        ...alibaba,
        models: ["wan2.6-r2v", "wan2.6-r2v-flash"],
        unpriced: "Model Studio's figures could not be read"
      }
    ]
  },
  {
    named: /wan2\.5-t2v/i,
    bounds: { ...ofOldText, ...any, seconds: [5, 10] },
    sales: [{ ...alibaba, models: ["wan2.5-t2v-preview"], usd: perSecond25 }]
  },
  {
    named: /wan2\.5-i2v/i,
    bounds: { ...ofOneFrame, ...any, seconds: [5, 10] },
    sales: [{ ...alibaba, models: ["wan2.5-i2v-preview"], usd: perSecond25 }]
  },
  {
    named: /wan2\.2-t2v-plus/i,
    bounds: { ...ofOldText, ...plus, ...silent },
    sales: [{ ...alibaba, models: ["wan2.2-t2v-plus"], usd: perSecond22 }]
  },
  {
    named: /wan2\.2-i2v-plus/i,
    bounds: { ...ofOneFrame, ...plus, ...silent },
    sales: [{ ...alibaba, models: ["wan2.2-i2v-plus"], usd: perSecond22 }]
  },
  {
    named: /wan2\.2-i2v-flash/i,
    bounds: { ...ofOneFrame, ...any, ...silent },
    sales: [{ ...alibaba, models: ["wan2.2-i2v-flash"], usd: perSecondFlash }]
  },
  {
    named: /wan2\.2-kf2v/i,
    bounds: { ...noReferences, ...any, ...silent, needs: "last_frame" },
    sales: [{ ...alibaba, models: ["wan2.2-kf2v-flash"], usd: perSecondFlash }]
  },
  {
    named: /wanx?2\.1-kf2v/i,
    bounds: { ...noReferences, ...silent, resolutions: ["720p"], needs: "last_frame" },
    sales: [{ ...alibaba, models: ["wan2.1-kf2v-plus"], unpriced: "Model Studio's figure could not be read" }]
  },
  { named: /wanx?2\.[12]-i2v/i, bounds: { ...ofOneFrame, ...silent }, sales: [] },
  { named: /wanx?2\.[12]-/i, bounds: { ...ofOldText, ...silent }, sales: [] },
  {
    named: /happyhorse-1\.1-t2v/i,
    bounds: { ...ofText, ...any, sound: "always" },
    sales: [{ ...alibaba, models: ["happyhorse-1.1-t2v"], usd: happyHorse }]
  },
  {
    named: /happyhorse-1\.1-i2v/i,
    bounds: { ...ofFrames, ...any, sound: "always" },
    sales: [{ ...alibaba, models: ["happyhorse-1.1-i2v"], usd: happyHorse }]
  },
  {
    named: /happyhorse-1\.1-r2v/i,
    bounds: { ...ofReferences, ...any, inputVideoSeconds: 15, sound: "always" },
    sales: [{ ...alibaba, models: ["happyhorse-1.1-r2v"], usd: happyHorse }]
  },
  {
    named: /happyhorse-1\.0-t2v/i,
    bounds: { ...ofText, ...always },
    sales: [{ ...alibaba, models: ["happyhorse-1.0-t2v"], usd: happyHorse10 }]
  },
  {
    named: /happyhorse-1\.0-i2v/i,
    bounds: { ...ofFrames, ...always },
    sales: [{ ...alibaba, models: ["happyhorse-1.0-i2v"], usd: happyHorse10 }]
  },
  {
    named: /happyhorse-1\.0-r2v/i,
    bounds: { ...ofReferences, ...always, inputVideoSeconds: 15 },
    sales: [{ ...alibaba, models: ["happyhorse-1.0-r2v"], usd: happyHorse10 }]
  },
  // Others of these makers, by the names that Model Studio gives them.
  {
    named: /^(?:[\w.-]+\/)?(?:wan|happyhorse|vidu)[\w./-]*(?:-r2v|reference)/i,
    bounds: { ...ofReferences, inputVideoSeconds: 15, sound: "always" },
    sales: []
  },
  {
    named: /^(?:[\w.-]+\/)?(?:wan|happyhorse|vidu)[\w./-]*(?:-kf2v|start-end)/i,
    bounds: { ...noReferences, needs: "last_frame", sound: "always" },
    sales: []
  },
  {
    named: /^(?:[\w.-]+\/)?(?:wan|happyhorse|vidu)[\w./-]*(?:-i2v|(?:img|image)(?:2|-to-)video)/i,
    bounds: { ...ofFrames, sound: "always" },
    sales: []
  },
  {
    named: /^(?:[\w.-]+\/)?(?:wan|happyhorse|vidu)[\w./-]*(?:-t2v|text(?:2|-to-)video)/i,
    bounds: { ...ofText, sound: "always" },
    sales: []
  }
]
