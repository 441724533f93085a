import { describe, expect, it } from "vitest"
import { isModelFound } from "../../src/admin/modelText.ts"
import type { ModelRecord } from "../../src/admin/UpstreamRecord.ts"
import { modelTable } from "../../src/commands/models.ts"

const price = { input: 3, cached_input: 0.3, output: 15, per_search: 0.01, per_second: 0 }
const model: ModelRecord = {
  object: "model",
  id: "claude-sonnet-4-5",
  kind: "text",
  routes: [{ upstream: "anthropic", model: "claude-sonnet-4-5", price }],
  context_tokens: 200_000,
  max_output_tokens: 64_000,
  price,
  price_source: { from: "built-in list", name: "claude-sonnet-4-5", as_of: "2026-11-02" },
  capabilities: { takes: ["images", "pdf", "tools"], passes_through: ["messages"], resolutions: null },
  use: {
    since: "2026-11-26T10:00:00.000Z",
    requests: 12_034,
    errors: 12,
    input_tokens: 9_000_000,
    output_tokens: 1_200_000,
    cost_usd: 45.123,
    cache_hit_rate: 0.4321,
    first_byte_ms: { p50: 300, p95: 900 },
    duration_ms: { p50: 2_400, p95: 12_000 },
    sampled: false
  }
}
const video: ModelRecord = {
  ...model,
  id: "clips",
  kind: "video",
  routes: [
    {
      upstream: "ark",
      model: "seedance",
      price: null,
      video: {
        seconds: [4, 5, 6, 7],
        default_seconds: 5,
        chooses_seconds: false,
        references: { images: 9, videos: 3, audios: 3 },
        audio_alone: false,
        frame_images: 2,
        ratios: ["16:9"],
        resolutions: ["480p", "720p"]
      }
    }
  ],
  context_tokens: null,
  max_output_tokens: null,
  price: null,
  use: null
}

describe("the list of models", () => {
  it("has one line a model at 80 columns, with use, cost, latency and price", () => {
    const lines = modelTable([model, video], false, 80).split("\n")
    expect(lines.slice(0, 3)).toEqual([
      "MODEL              REQUESTS    COST      P95  PRICE",
      "claude-sonnet-4-5    12,034  $45.12  12.00 s  $3.00 in, $15.00 out, $0.01 a sea…",
      "clips                                         no price"
    ])
    expect(Math.max(...lines.slice(0, 3).map(({ length }) => length))).toBeLessThanOrEqual(80)
    expect(lines.slice(4).join(" ")).toContain("--wide shows KIND, ERRORS, TOKENS")
  })

  it("shows everything where it is asked to", () => {
    const [, text = "", clips = ""] = modelTable([model, video], true).split("\n")
    for (const part of ["43.2 %", "10,200,000", "200,000", "64,000 tokens out", "built-in list 2026-11-02", "300 ms"]) {
      expect(text).toContain(part)
    }
    expect(clips).toContain("4–7 s, 480p 720p")
  })

  it("is searched by id, kind and route", () => {
    const found = (search: string) => [model, video].filter((one) => isModelFound(search, one)).map(({ id }) => id)
    expect([found("SONNET"), found("video"), found("ark/seed"), found("clips ark"), found("clips anthropic")]).toEqual([
      ["claude-sonnet-4-5"],
      ["clips"],
      ["clips"],
      ["clips"],
      []
    ])
  })
})
