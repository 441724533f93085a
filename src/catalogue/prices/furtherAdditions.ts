import type { Addition } from "./Addition.ts"
import { longAbove, longOpenai } from "./longInput.ts"
import { alibaba, cohere, google, groq, minimax, mistral, openai, volcengine, voyage, xai, zai } from "./pricePages.ts"

/** Steps of an input's length, as Alibaba and Volcengine have them. */
const inSteps = (
  [first, ...further]: readonly [Addition["usd"], ...ReadonlyArray<Addition["usd"]>],
  ...starts: ReadonlyArray<number>
) => ({ usd: first, tiers: further.map((usd, index) => ({ above: starts[index] ?? 0, usd })) })

const named = (models: ReadonlyArray<string>, usd: Addition["usd"]) => ({ models, usd })

/** Older and narrower models that the bundled list lacks: of cyber security and law, aliases, searches, reranking. */
export const furtherAdditions: ReadonlyArray<Addition> = [
  {
    ...openai,
    models: ["gpt-5.6-cyber", "daybreak-red-latest", "gpt-daybreak-red-latest"],
    ...longOpenai(12.5, 1.25, 75)
  },
  { ...openai, models: ["daybreak-blue-latest", "gpt-daybreak-blue-latest"], ...longOpenai(4, 0.4, 20) },
  { ...openai, ...named(["gpt-5.5-cyber", "gpt-5.5-cyber-preview"], { input: 12.5, cached_input: 1.25, output: 75 }) },
  { ...openai, ...named(["gpt-6-astra-law"], { input: 10, cached_input: 1, output: 50 }) },
  {
    ...openai,
    ...named(["gpt-rosalind-research", "gpt-rosalind-discovery"], { input: 5, cached_input: 0.5, output: 25 })
  },
  { ...openai, ...named(["chat-latest"], { input: 5, cached_input: 0.5, output: 30 }) },
  { ...openai, ...named(["gpt-5-search-api"], { input: 1.25, cached_input: 0.125, output: 10, per_search: 0.01 }) },
  {
    ...google,
    ...named(["gemini-robotics-er-2-preview", "gemini-robotics-er-2-streaming-preview"], {
      input: 1,
      cached_input: 0.1,
      output: 5
    })
  },
  {
    ...google,
    ...named(["deep-research-preview-04-2026", "deep-research-max-preview-04-2026"], {
      input: 2,
      output: 12,
      per_call: { web_search: { usd: 0.035, once: true } }
    })
  },
  { ...google, ...named(["gemini-omni-1.1-flash", "gemini-omni-1.2-flash"], { input: 1.5, output: 9 }) },
  { ...google, ...named(["nano-banana-pro-preview"], { input: 2, output: 12, image: { output: 120 } }) },
  { ...google, ...named(["gemini-nano-banana-2.1"], { input: 1.5, output: 7.5, image: { output: 30 } }) },
  {
    ...xai,
    models: [
      "grok-4.20-0309",
      "grok-4.20-0309-reasoning",
      "grok-4.20-0309-non-reasoning",
      "grok-4.20-multi-agent-0309",
      "grok-4.20-beta",
      "grok-4.20-beta-reasoning",
      "grok-4.20-beta-non-reasoning"
    ],
    usd: { input: 1.25, cached_input: 0.2, output: 2.5 },
    tiers: [{ above: longAbove("x-ai", 200_000), usd: { input: 2.5, cached_input: 0.4, output: 5 } }]
  },
  { ...zai, ...named(["glm-4.5v"], { input: 0.6, output: 1.8 }) },
  { ...zai, ...named(["glm-4.5-x"], { input: 2.2, output: 8.9 }) },
  { ...zai, ...named(["glm-4.5-airx"], { input: 1.1, output: 4.5 }) },
  {
    ...minimax,
    ...named(["MiniMax-M2.1-lightning", "MiniMax-M2.5-lightning"], {
      input: 0.3,
      cached_input: 0.03,
      cache_write: 0.375,
      output: 2.4
    })
  },
  { ...groq, ...named(["qwen/qwen3.8-27b"], { input: 0.8, output: 4 }) },

  { ...mistral, ...named(["mistral-medium-2604"], { input: 1.5, cached_input: 0.15, output: 7.5 }) },
  { ...mistral, ...named(["devstral", "devstral-medium"], { input: 0.4, cached_input: 0.04, output: 2 }) },
  { ...mistral, ...named(["mistral-small"], { input: 0.1, cached_input: 0.01, output: 0.3 }) },
  { ...mistral, ...named(["mistral-moderation", "mistral-moderation-2411"], { input: 0.1 }) },
  { ...mistral, ...named(["ministral-3-3b-2512"], { input: 0.1, cached_input: 0.01, output: 0.1 }) },
  { ...mistral, ...named(["ministral-3-8b-2512"], { input: 0.15, cached_input: 0.015, output: 0.15 }) },
  { ...mistral, ...named(["ministral-3-14b-2512", "ministral-14b"], { input: 0.2, cached_input: 0.02, output: 0.2 }) },
  { ...mistral, ...named(["mistral-embed-2312"], { input: 0.1 }) },

  { ...alibaba, ...named(["qwen-max"], { input: 1.6, output: 6.4 }) },
  { ...alibaba, ...named(["qwen-turbo"], { input: 0.05, output: 0.2, reasoning: 0.5 }) },
  {
    ...alibaba,
    models: ["qwen-plus"],
    ...inSteps(
      [
        { input: 0.4, output: 1.2, reasoning: 4 },
        { input: 1.2, output: 3.6, reasoning: 12 }
      ],
      256_000
    )
  },
  {
    ...alibaba,
    models: ["qwen-flash"],
    ...inSteps(
      [
        { input: 0.05, output: 0.4 },
        { input: 0.25, output: 2 }
      ],
      256_000
    )
  },
  {
    ...alibaba,
    models: ["qwen3.5-plus"],
    ...inSteps(
      [
        { input: 0.4, output: 2.4 },
        { input: 0.5, output: 3 }
      ],
      256_000
    )
  },
  {
    ...alibaba,
    models: ["qwen3-coder-plus"],
    ...inSteps(
      [
        { input: 1, cached_input: 0.1, output: 5 },
        { input: 1.8, cached_input: 0.18, output: 9 },
        { input: 3, cached_input: 0.3, output: 15 },
        { input: 6, cached_input: 0.6, output: 60 }
      ],
      32_000,
      128_000,
      256_000
    )
  },
  {
    ...alibaba,
    models: ["qwen3-coder-flash"],
    ...inSteps(
      [
        { input: 0.3, cached_input: 0.08, output: 1.5 },
        { input: 0.5, cached_input: 0.12, output: 2.5 },
        { input: 0.8, cached_input: 0.2, output: 4 },
        { input: 1.6, cached_input: 0.4, output: 9.6 }
      ],
      32_000,
      128_000,
      256_000
    )
  },
  {
    ...alibaba,
    models: ["qwen3-vl-plus"],
    ...inSteps(
      [
        { input: 0.2, output: 1.6 },
        { input: 0.3, output: 2.4 },
        { input: 0.6, output: 4.8 }
      ],
      32_000,
      128_000
    )
  },
  { ...alibaba, ...named(["qwq-plus"], { input: 0.8, output: 2.4 }) },
  {
    ...volcengine,
    models: ["doubao-seed-2-0-pro", "doubao-seed-2-0-code-preview"],
    ...inSteps(
      [
        { input: 0.46, output: 2.3 },
        { input: 0.7, output: 3.5 },
        { input: 1.4, output: 7 }
      ],
      32_000,
      128_000
    )
  },
  {
    ...volcengine,
    models: ["doubao-seed-2-0-lite"],
    ...inSteps(
      [
        { input: 0.087, output: 0.52 },
        { input: 0.13, output: 0.78 },
        { input: 0.26, output: 1.6 }
      ],
      32_000,
      128_000
    )
  },

  { ...cohere, ...named(["embed-english-light-v3.0", "embed-multilingual-light-v3.0"], { input: 0.1 }) },
  {
    ...cohere,
    ...named(["rerank-english-v3.0", "rerank-multilingual-v3.0", "rerank-v3.5", "rerank-v4.0-fast"], {
      per_rerank_unit: 0.002
    })
  },
  { ...cohere, ...named(["rerank-v4.0-pro"], { per_rerank_unit: 0.0025 }) },
  { ...cohere, ...named(["rerank-v5.0-fast"], { input: 0.02 }) },
  { ...cohere, ...named(["rerank-v5.0-pro"], { input: 0.05 }) },
  { ...voyage, ...named(["rerank-1", "rerank-2", "rerank-2.5", "rerank-3"], { input: 0.05 }) },
  { ...voyage, ...named(["rerank-lite-1", "rerank-2-lite", "rerank-2.5-lite", "rerank-3-lite"], { input: 0.02 }) },
  { ...voyage, ...named(["voyage-multimodal-3"], { input: 0.12 }) }
]
