import type { Addition } from "./Addition.ts"
import { alibaba, byteplus, google, minimax, openai, volcengine, xai } from "./pricePages.ts"

/** Volcengine's list is in yuan: 7 are a dollar. */
const yuan = (amount: number) => Math.round((amount / 7) * 1e6) / 1e6

/** Video models, by the second or by the million tokens. */
export const videoAdditions: ReadonlyArray<Addition> = [
  {
    ...volcengine,
    models: ["doubao-seedance-2-5"],
    usd: { output: { "480p": yuan(70), "720p": yuan(70), "1080p": yuan(77) } }
  },
  {
    ...volcengine,
    models: ["doubao-seedance-2-0"],
    usd: {
      output: { "480p": yuan(46), "720p": yuan(46), "1080p": yuan(51), "4k": yuan(26) },
      with_video: { output: { "480p": yuan(28), "720p": yuan(28), "1080p": yuan(51), "4k": yuan(26) } }
    }
  },
  {
    ...volcengine,
    models: ["doubao-seedance-2-0-fast"],
    usd: { output: yuan(37), with_video: { output: yuan(22) } }
  },
  { ...volcengine, models: ["doubao-seedance-2-0-mini"], usd: { output: yuan(23) } },
  {
    ...byteplus,
    models: ["dreamina-seedance-2-0", "seedance-2-0"],
    usd: {
      output: { "480p": 7, "720p": 7 },
      with_video: { output: { "480p": 4.3, "720p": 4.3, "1080p": 7 } }
    }
  },
  {
    ...byteplus,
    models: ["dreamina-seedance-2-0-fast", "seedance-2-0-fast"],
    usd: { output: 5.6 }
  },
  {
    ...byteplus,
    models: ["seedance-1-5-pro"],
    usd: { output: 1.2, with_audio: { output: 2.4 }, flex: 0.5 }
  },
  { ...byteplus, models: ["seedance-1-0-pro"], usd: { output: 2.5 } },
  { ...byteplus, models: ["seedance-1-0-lite-t2v", "seedance-1-0-lite-i2v"], usd: { output: 1.8 } },
  {
    ...google,
    models: ["veo-3.1-generate-001", "veo-3.1-generate-preview"],
    usd: { per_second: { "720p": 0.4, "1080p": 0.4, "4k": 0.6 } }
  },
  {
    ...google,
    models: ["veo-3.1-fast-generate-001", "veo-3.1-fast-generate-preview"],
    usd: { per_second: { "720p": 0.1, "1080p": 0.12, "4k": 0.3 } }
  },
  {
    ...google,
    models: ["veo-3.1-lite-generate-001", "veo-3.1-lite-generate-preview"],
    usd: { per_second: { "720p": 0.05, "1080p": 0.08 } }
  },
  { ...google, models: ["veo-3.0-generate-001"], usd: { per_second: 0.4 } },
  {
    ...google,
    models: ["veo-3.0-fast-generate-001"],
    usd: { per_second: { "720p": 0.1, "1080p": 0.12 } }
  },
  { ...google, models: ["veo-2.0-generate-001"], usd: { per_second: 0.5 } },
  { ...xai, models: ["grok-imagine-video"], usd: { per_second: { "480p": 0.05, "720p": 0.07 } } },
  {
    ...xai,
    models: ["grok-imagine-video-1.5"],
    usd: { per_second: { "480p": 0.08, "720p": 0.14, "1080p": 0.25 } }
  },
  {
    ...xai,
    models: ["grok-imagine-video-1.5-lite"],
    usd: { per_second: { "480p": 0.02, "720p": 0.03, "1080p": 0.14 } }
  },
  { ...minimax, models: ["MiniMax-H3"], usd: { per_second: { "768p": 0.08, "2k": 0.13 } } },
  { ...minimax, models: ["MiniMax-H3-Max"], usd: { per_second: { "480p": 0.05, "768p": 0.08 } } },
  {
    ...alibaba,
    models: ["wan3.0-video"],
    usd: { per_second: { "480p": 0.05, "720p": 0.1, "1080p": 0.2 } }
  },
  {
    ...alibaba,
    models: ["wan3.0-video-prime"],
    usd: { per_second: { "480p": 0.068, "720p": 0.14, "1080p": 0.28 } }
  },
  {
    ...alibaba,
    models: ["wan2.7-t2v", "wan2.7-i2v", "wan2.7-r2v"],
    usd: { per_second: { "720p": 0.1, "1080p": 0.15 } }
  },
  {
    ...alibaba,
    models: ["happyhorse-1.1-t2v", "happyhorse-1.1-i2v", "happyhorse-1.1-r2v"],
    usd: { per_second: { "480p": 0.07, "720p": 0.14, "1080p": 0.18 } }
  },
  { ...openai, models: ["sora-2"], usd: { per_second: 0.1 } },
  { ...openai, models: ["sora-2-pro"], usd: { per_second: { "720p": 0.3, "1080p": 0.5 } } }
]
