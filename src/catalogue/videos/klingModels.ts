import { kling } from "../prices/pricePages.ts"
import { secondsFrom } from "../../upstreams/videos/VideoBounds.ts"
import { noReferences } from "./VideoModel.ts"
import type { VideoModel } from "./VideoModel.ts"

const resolutions = ["720p", "1080p"] as const
/** A last frame takes the professional mode. */
const proLastFrame = { from: ["last_frame"], resolutions: ["1080p"] } as const
const old = { seconds: [5, 10], resolutions, sound: "never" } as const
const unread = "Kling's figures of this version could not be read"

/** Kling's versions, in the modes std (720p), pro (1080p) and 4k. A second unit of its price list is $0.14. */
export const klingModels: ReadonlyArray<VideoModel> = [
  {
    named: /^kling-v3(?!-omni)/,
    bounds: { ...noReferences, seconds: secondsFrom(3, 15), resolutions: ["720p", "1080p", "4k"] },
    sales: [
      {
        ...kling,
        models: ["kling-v3"],
        usd: {
          per_second: { "720p": 0.084, "1080p": 0.112, "4k": 0.42 },
          with_audio: { per_second: { "720p": 0.126, "1080p": 0.168, "4k": 0.42 } }
        }
      }
    ]
  },
  {
    named: /^kling-v2-6/,
    bounds: {
      ...noReferences,
      seconds: [5, 10],
      resolutions,
      narrower: [
        { at: ["720p"], sound: "never" },
        { from: ["last_frame"], resolutions: ["1080p"], sound: "never" }
      ]
    },
    sales: [
      {
        ...kling,
        models: ["kling-v2-6"],
        usd: { per_second: { "720p": 0.042, "1080p": 0.07 }, with_audio: { per_second: { "1080p": 0.168 } } }
      }
    ]
  },
  {
    named: /^kling-v2-5-turbo/,
    bounds: { ...noReferences, ...old, narrower: [proLastFrame] },
    sales: [{ ...kling, models: ["kling-v2-5-turbo"], usd: { per_second: { "720p": 0.042, "1080p": 0.07 } } }]
  },
  {
    named: /^kling-v2(?:-1)?-master/,
    bounds: { ...noReferences, ...old, resolutions: ["1080p"], frameImages: 1 },
    sales: [{ ...kling, models: ["kling-v2-master", "kling-v2-1-master"], unpriced: unread }]
  },
  {
    named: /^kling-v2-1/,
    bounds: { ...noReferences, ...old, needs: "first_frame", narrower: [proLastFrame] },
    sales: [{ ...kling, models: ["kling-v2-1"], unpriced: unread }]
  },
  {
    named: /^kling-v1-6/,
    bounds: { ...old, references: { images: 4, videos: 0, audios: 0 }, narrower: [proLastFrame] },
    sales: [{ ...kling, models: ["kling-v1-6"], unpriced: unread }]
  },
  {
    named: /^kling-v1-5/,
    bounds: { ...noReferences, ...old, needs: "first_frame", narrower: [proLastFrame] },
    sales: [{ ...kling, models: ["kling-v1-5"], unpriced: unread }]
  },
  {
    named: /^kling-v[12]/,
    bounds: { ...noReferences, ...old },
    sales: [{ ...kling, models: ["kling-v1"], unpriced: unread }]
  }
]
