import type { Addition } from "./Addition.ts"
import { amazon } from "./pricePages.ts"

/** Amazon's own models by profile of inference, which differ by region. A token from the cache costs a quarter. */
const nova = (models: ReadonlyArray<string>, input: number, output: number): Addition => ({
  ...amazon,
  models,
  usd: { input, cached_input: input / 4, output }
})

/** The names of a model at Bedrock in Amazon's own regions, at Amazon's own API, and without either. */
const usual = (name: string) => [`amazon.${name}-v1:0`, `us.amazon.${name}-v1:0`, `${name}-v1`, name]

export const novaAdditions: ReadonlyArray<Addition> = [
  nova(usual("nova-micro"), 0.035, 0.14),
  nova(["eu.amazon.nova-micro-v1:0"], 0.046, 0.184),
  nova(["apac.amazon.nova-micro-v1:0"], 0.037, 0.148),
  nova(usual("nova-lite"), 0.06, 0.24),
  nova(["eu.amazon.nova-lite-v1:0"], 0.078, 0.312),
  nova(["apac.amazon.nova-lite-v1:0"], 0.063, 0.252),
  nova(usual("nova-pro"), 0.8, 3.2),
  nova(["eu.amazon.nova-pro-v1:0"], 1.05, 4.2),
  nova(["apac.amazon.nova-pro-v1:0"], 0.84, 3.36),
  nova(usual("nova-premier"), 2.5, 12.5),
  nova(["global.amazon.nova-2-lite-v1:0", "amazon.nova-2-lite-v1:0", "nova-2-lite-v1", "nova-2-lite"], 0.3, 2.5),
  nova(["us.amazon.nova-2-lite-v1:0"], 0.33, 2.75),
  nova(["eu.amazon.nova-2-lite-v1:0"], 0.429, 3.597),
  nova(["apac.amazon.nova-2-lite-v1:0", "jp.amazon.nova-2-lite-v1:0"], 0.396, 3.311),
  nova(["amazon.nova-2-pro-preview-20251202-v1:0", "nova-2-pro-preview"], 1.25, 10),
  nova(
    ["us", "eu", "apac"].map((region) => `${region}.amazon.nova-2-pro-preview-20251202-v1:0`),
    1.375,
    11
  )
]
