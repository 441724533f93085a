import { google } from "../prices/pricePages.ts"
import type { NarrowerBounds } from "../../upstreams/videos/VideoBounds.ts"
import { noReferences } from "./VideoModel.ts"
import type { VideoModel } from "./VideoModel.ts"

/** Videos larger than 720p, and those of references, have eight seconds. */
const eight: ReadonlyArray<NarrowerBounds> = [
  { at: ["1080p", "4k"], seconds: [8] },
  { from: ["references"], seconds: [8] }
]
const veo31 = { seconds: [4, 6, 8], resolutions: ["720p", "1080p", "4k"], narrower: eight } as const

/** Google's table of models (ai.google.dev/gemini-api/docs/video). */
export const veoModels: ReadonlyArray<VideoModel> = [
  {
    named: /veo-3\.1-fast/,
    bounds: veo31,
    sales: [
      {
        ...google,
        models: ["veo-3.1-fast-generate-001", "veo-3.1-fast-generate-preview"],
        usd: { per_second: { "720p": 0.1, "1080p": 0.12, "4k": 0.3 } }
      }
    ]
  },
  {
    named: /veo-3\.1-lite/,
    bounds: { ...veo31, ...noReferences, resolutions: ["720p", "1080p"], narrower: [{ at: ["1080p"], seconds: [8] }] },
    sales: [
      {
        ...google,
        models: ["veo-3.1-lite-generate-001", "veo-3.1-lite-generate-preview"],
        usd: { per_second: { "720p": 0.05, "1080p": 0.08 } }
      }
    ]
  },
  {
    named: /veo-3\.1/,
    bounds: veo31,
    sales: [
      {
        ...google,
        models: ["veo-3.1-generate-001", "veo-3.1-generate-preview"],
        usd: { per_second: { "720p": 0.4, "1080p": 0.4, "4k": 0.6 } }
      }
    ]
  },
  {
    named: /veo-3(?:\.0)?-(?!1)/,
    bounds: {
      ...noReferences,
      frameImages: 1,
      seconds: [4, 6, 8],
      resolutions: ["720p", "1080p"],
      narrower: [{ at: ["1080p"], seconds: [8] }]
    },
    sales: [
      { ...google, models: ["veo-3.0-generate-001"], usd: { per_second: 0.4 } },
      { ...google, models: ["veo-3.0-fast-generate-001"], usd: { per_second: { "720p": 0.1, "1080p": 0.12 } } }
    ]
  },
  {
    named: /veo-2/,
    bounds: { ...noReferences, seconds: [5, 6, 7, 8], resolutions: ["720p"], narrower: [], sound: "never" },
    sales: [{ ...google, models: ["veo-2.0-generate-001"], usd: { per_second: 0.5 } }]
  }
]
