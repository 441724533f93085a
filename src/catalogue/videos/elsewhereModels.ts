import { amazon, kling, minimax, xai } from "../prices/pricePages.ts"
import type { VideoModel } from "./VideoModel.ts"

/** Models that no protocol of the gateway makes; priced for gateways that speak one of them, where the price is known. */
export const elsewhereModels: ReadonlyArray<VideoModel> = [
  { named: /^sandbox-video$/, bounds: {}, sales: [] },
  {
    named: /^grok-imagine-video/,
    bounds: {},
    sales: [
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
      }
    ]
  },
  {
    named: /hailuo-(?:02|2\.3)/i,
    bounds: {},
    sales: [
      {
        ...minimax,
        models: ["MiniMax-Hailuo-02", "MiniMax-Hailuo-2.3", "MiniMax-Hailuo-2.3-Fast"],
        unpriced: "version 1 of MiniMax's API makes it, which sells by the video"
      }
    ]
  },
  {
    named: /nova-reel/i,
    bounds: {},
    sales: [
      {
        ...amazon,
        models: ["amazon.nova-reel-v1:0", "amazon.nova-reel-v1:1"],
        unpriced: "Amazon ended it on 2026-09-30"
      }
    ]
  },
  {
    named: /^kling-(?:v3-omni|video-o1|v4)/,
    bounds: {},
    sales: [
      {
        ...kling,
        models: ["kling-v3-omni", "kling-video-o1", "kling-v4"],
        unpriced: "another endpoint of Kling's makes it"
      }
    ]
  }
]
