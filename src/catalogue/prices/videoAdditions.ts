import { videoModels } from "../videos/videoModels.ts"
import type { Addition } from "./Addition.ts"

/** Prices of video models, by the second or by the million tokens. */
export const videoAdditions: ReadonlyArray<Addition> = videoModels.flatMap(({ sales }) =>
  sales.flatMap((sale) => ("usd" in sale ? [sale] : []))
)
