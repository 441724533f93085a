import { minimax } from "../prices/pricePages.ts"
import type { VideoModel } from "./VideoModel.ts"

/** MiniMax's models of version 2 of its API. */
export const minimaxModels: ReadonlyArray<VideoModel> = [
  {
    named: /minimax-h3-max/i,
    bounds: { resolutions: ["480p", "768p"] },
    sales: [{ ...minimax, models: ["MiniMax-H3-Max"], usd: { per_second: { "480p": 0.05, "768p": 0.08 } } }]
  },
  {
    named: /minimax-h3/i,
    bounds: { resolutions: ["768p", "2k"] },
    sales: [
      {
        ...minimax,
        models: ["MiniMax-H3"],
        usd: { per_second: { "768p": 0.08, "2k": 0.13 }, per_input_image: { usd: 0.04, free: 5 } }
      }
    ]
  }
]
