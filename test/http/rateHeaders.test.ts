import { expect, it } from "@effect/vitest"
import { rateHeaders } from "../../src/http/rateHeaders.ts"

const standing = { limit: 100, left: 70, resetMs: 49_001, atMs: Date.UTC(2026, 0, 1, 0, 0, 10, 999) }

it("are OpenAI's: how long until they begin afresh", () => {
  const headers: Record<string, string> = {}
  rateHeaders.openai(headers, "tokens", standing)
  rateHeaders.openai(headers, "requests", { ...standing, left: 0, resetMs: 366_000 })
  expect(headers).toEqual({
    "x-ratelimit-limit-tokens": "100",
    "x-ratelimit-remaining-tokens": "70",
    "x-ratelimit-reset-tokens": "50s",
    "x-ratelimit-limit-requests": "100",
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-reset-requests": "6m6s"
  })
})

it("are Anthropic's: when they begin afresh", () => {
  const headers: Record<string, string> = {}
  rateHeaders.anthropic(headers, "requests", standing)
  expect(headers).toEqual({
    "anthropic-ratelimit-requests-limit": "100",
    "anthropic-ratelimit-requests-remaining": "70",
    "anthropic-ratelimit-requests-reset": "2026-01-01T00:01:00Z"
  })
})
