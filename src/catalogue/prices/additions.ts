import type { Addition } from "./Addition.ts"
import { furtherAdditions } from "./furtherAdditions.ts"
import { longAbove, longOpenai } from "./longInput.ts"
import { novaAdditions } from "./novaAdditions.ts"
import {
  alibaba,
  anthropic,
  cohere,
  deepseek,
  google,
  mistral,
  moonshot,
  openai,
  volcengine,
  voyage,
  xai,
  zai
} from "./pricePages.ts"
import { videoAdditions } from "./videoAdditions.ts"

const grok = (input: number, cached: number, output: number) => ({
  usd: { input, cached_input: cached, output },
  tiers: [
    { above: longAbove("x-ai", 200_000), usd: { input: input * 2, cached_input: cached * 2, output: output * 2 } }
  ]
})

/**
 * Prices that the bundled version of `@pydantic/genai-prices` lacks, or that have changed since. The first row of a model
 * is its maker's.
 */
export const additions: ReadonlyArray<Addition> = [
  { ...openai, models: ["gpt-6.1", "gpt-6.1-sol"], ...longOpenai(2, 0.1, 10) },
  { ...openai, models: ["gpt-6.1-terra"], ...longOpenai(1, 0.05, 5) },
  { ...openai, models: ["gpt-6.2-sol"], ...longOpenai(2, 0.1, 10) },
  { ...openai, models: ["gpt-6.2-astra"], ...longOpenai(8, 0.4, 40) },
  { ...openai, models: ["gpt-6-astra"], ...longOpenai(10, 1, 50) },
  { ...openai, models: ["gpt-6-rosalind"], ...longOpenai(15, 1.5, 75) },
  { ...openai, models: ["gpt-6-cyber"], usd: { input: 20, cached_input: 2, cache_write: 25, output: 100 } },
  // Image tools are billed by the tokens of the model that draws.
  {
    ...openai,
    models: [
      "gpt-image-2",
      "gpt-image-2.5-flare",
      "gpt-image-2.5-sunburst",
      "gpt-image-2.6-flare",
      "gpt-image-2.6-sunburst"
    ],
    usd: { input: 5, cached_input: 1.25, image: { input: 8, cached_input: 2, output: 30 } }
  },
  {
    ...openai,
    models: ["gpt-image-1.5", "chatgpt-image-latest"],
    usd: { input: 5, cached_input: 1.25, output: 10, image: { input: 8, cached_input: 2, output: 32 } }
  },
  {
    ...openai,
    models: ["gpt-image-1"],
    usd: { input: 5, cached_input: 1.25, image: { input: 10, cached_input: 2.5, output: 40 } }
  },
  {
    ...openai,
    models: ["gpt-image-1-mini"],
    usd: { input: 2, cached_input: 0.2, image: { input: 2.5, cached_input: 0.25, output: 8 } }
  },
  {
    ...anthropic,
    models: ["claude-haiku-5-5"],
    usd: { input: 0.1, cached_input: 0.01, cache_write: 0.125, cache_write_1h: 0.2, output: 0.5, per_search: 0.01 },
    tiers: [
      {
        above: 100_000,
        usd: { input: 0.5, cached_input: 0.05, cache_write: 0.625, cache_write_1h: 1, output: 2.5, per_search: 0.01 }
      }
    ]
  },
  {
    ...anthropic,
    models: ["claude-mythos-5"],
    usd: { input: 10, cached_input: 1, cache_write: 12.5, cache_write_1h: 20, output: 50, per_search: 0.01 }
  },
  {
    ...anthropic,
    models: ["claude-mythos-5-1"],
    usd: { input: 10, cached_input: 0.25, cache_write: 12.5, cache_write_1h: 20, output: 50, per_search: 0.01 }
  },
  {
    ...anthropic,
    models: ["claude-fable-5-2"],
    usd: { input: 8, cached_input: 0.2, cache_write: 10, cache_write_1h: 16, output: 40, per_search: 0.01 }
  },
  { ...google, models: ["gemini-4-argon"], usd: { input: 2, cached_input: 0.1, output: 10, per_search: 0.014 } },
  {
    ...google,
    models: ["gemini-4-hydrogen"],
    usd: { input: 1.5, cached_input: 0.075, output: 7.5, per_search: 0.014 }
  },
  {
    ...google,
    models: ["gemini-pro-latest"],
    usd: { input: 2, cached_input: 0.2, output: 12, per_search: 0.014 },
    tiers: [{ above: 200_000, usd: { input: 4, cached_input: 0.4, output: 18, per_search: 0.014 } }]
  },
  {
    ...google,
    models: ["gemini-flash-latest"],
    usd: { input: 0.75, cached_input: 0.075, output: 3.75, per_search: 0.014 }
  },
  {
    ...google,
    models: ["gemini-flash-lite-latest"],
    usd: { input: 0.3, cached_input: 0.03, output: 2.5, per_search: 0.014 }
  },
  {
    ...google,
    models: ["gemini-embedding-2", "gemini-embedding-2-preview"],
    usd: { input: 0.2, audio: { input: 6.5 }, image: { input: 0.45 }, video: { input: 12 } }
  },
  { ...xai, models: ["grok-4.7"], ...grok(2, 0.5, 6) },
  { ...xai, models: ["grok-code-fast", "grok-code-fast-1"], ...grok(1, 0.2, 2) },
  { ...xai, models: ["grok-build", "grok-build-latest"], ...grok(2, 0.3, 6) },
  {
    ...xai,
    models: ["grok-4.20", "grok-4.20-reasoning", "grok-4.20-non-reasoning", "grok-4.20-multi-agent"],
    ...grok(1.25, 0.2, 2.5)
  },
  { ...moonshot, models: ["kimi-k3.1-pro"], usd: { input: 2, cached_input: 0.2, output: 10 } },
  { ...moonshot, models: ["kimi-k3.1-pro-highspeed"], usd: { input: 4, cached_input: 0.2, output: 20 } },
  {
    ...deepseek,
    models: ["deepseek-v4-flash", "deepseek-v4-flash-vision-exp", "deepseek-flash"],
    usd: { input: 0.3, cached_input: 0.006, output: 1.2 }
  },
  { ...deepseek, models: ["deepseek-v4-pro"], usd: { input: 1.32, cached_input: 0.044, output: 3.96 } },
  { ...zai, models: ["glm-5.3-flash"], usd: { input: 0.15, cached_input: 0.03, output: 0.5 } },
  { ...zai, models: ["glm-5"], usd: { input: 1, cached_input: 0.2, output: 3.2 } },
  { ...zai, models: ["glm-5.1"], usd: { input: 1.4, cached_input: 0.26, output: 4.4 } },
  { ...zai, models: ["glm-5v-turbo"], usd: { input: 1.2, cached_input: 0.24, output: 4 } },
  { ...zai, models: ["glm-5-code"], usd: { input: 1.2, cached_input: 0.3, output: 5 } },
  { ...zai, models: ["glm-4.6", "glm-4.7"], usd: { input: 0.6, cached_input: 0.11, output: 2.2 } },
  { ...zai, models: ["glm-4.5"], usd: { input: 0.6, output: 2.2 } },
  { ...zai, models: ["glm-4.5-air"], usd: { input: 0.2, output: 1.1 } },
  {
    ...mistral,
    models: ["mistral-large-4", "mistral-large-4-0"],
    usd: { input: 0.7, cached_input: 0.07, output: 2.1 }
  },
  { ...mistral, models: ["mistral-large-3"], usd: { input: 0.5, output: 1.5 } },
  { ...mistral, models: ["codestral-embed", "codestral-embed-2505"], usd: { input: 0.15 } },
  { ...cohere, models: ["embed-v5.0-pro"], usd: { input: 0.12 } },
  { ...cohere, models: ["embed-v5.0-fast"], usd: { input: 0.08 } },
  { ...cohere, models: ["embed-english-v3.0", "embed-multilingual-v3.0"], usd: { input: 0.1 } },
  { ...voyage, models: ["voyage-code-4", "voyage-context-4", "voyage-multimodal-3.5"], usd: { input: 0.12 } },
  { ...alibaba, models: ["qwen3.8-max"], usd: { input: 2, cached_input: 0.25, output: 6 } },
  {
    ...alibaba,
    models: ["qwen3.8-flash"],
    usd: { input: 0.15, cached_input: 0.016, cache_write: 0.2, output: 0.47 }
  },
  { ...alibaba, models: ["qwen3.8-omni-flash"], usd: { input: 0.15, cached_input: 0.016, output: 0.47 } },
  { ...alibaba, models: ["qwen3.7-max"], usd: { input: 2.5, cached_input: 0.5, cache_write: 3.125, output: 7.5 } },
  {
    ...alibaba,
    models: ["qwen3.7-plus"],
    usd: { input: 0.4, cached_input: 0.08, output: 1.6 },
    tiers: [{ above: 256_000, usd: { input: 1.2, cached_input: 0.24, output: 4.8 } }]
  },
  {
    ...alibaba,
    models: ["qwen3-max"],
    usd: { input: 1.2, output: 6 },
    tiers: [
      { above: 32_000, usd: { input: 2.4, output: 12 } },
      { above: 128_000, usd: { input: 3, output: 15 } }
    ]
  },
  { ...volcengine, models: ["doubao-seed-2-1-pro"], usd: { input: 0.8625, cached_input: 0.1725, output: 4.3125 } },
  { ...volcengine, models: ["doubao-seed-2-1-turbo"], usd: { input: 0.43125, cached_input: 0.08625, output: 2.15625 } },
  { ...volcengine, models: ["doubao-seed-2-1-lite"], usd: { input: 0.115, output: 0.388126 } },
  ...furtherAdditions,
  ...novaAdditions,
  ...videoAdditions
]
