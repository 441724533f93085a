import { openai } from "../prices/pricePages.ts"
import type { VideoModel } from "./VideoModel.ts"

/**
 * Sora, which OpenAI itself turned off in September 2026; the shape and the models live on at Azure and at gateways. The
 * price is that of OpenAI's page then.
 */
export const soraModels: ReadonlyArray<VideoModel> = [
  {
    named: /^sora-2-pro/i,
    bounds: {
      resolutions: ["720p", "1024p"],
      sizes: { "1024p": { "16:9": [1792, 1024], "9:16": [1024, 1792] } }
    },
    sales: [{ ...openai, models: ["sora-2-pro"], usd: { per_second: { "720p": 0.3, "1024p": 0.5 } } }]
  },
  {
    named: /^sora-2/i,
    bounds: {},
    sales: [{ ...openai, models: ["sora-2"], usd: { per_second: 0.1 } }]
  }
]
