import { describe, expect, it } from "@effect/vitest"
import { quotaRest, untilMidnight } from "../../../src/upstreams/protocols/quotaFailure.ts"
import { failedWith } from "../../../src/upstreams/protocols/upstreamFailure.ts"
import { anthropic, google, limitOf, loadRefusals, openAi, overloaded, quota } from "../fakes/loadRefusals.ts"
import { isOfKey } from "../../../src/upstreams/UpstreamError.ts"
import { refusal } from "../../../src/upstreams/calls/refusal.ts"

const refused = (status: number, body: unknown, headers: Record<string, string> = {}, sent = "{}") =>
  refusal({
    status,
    headers: new Headers(headers),
    body: JSON.stringify(body),
    secrets: [],
    sent,
    isPassthrough: false
  })

describe("what rests after a refusal for load", () => {
  it.each(loadRefusals)("%s", (_, status, body, headers, rests) => {
    expect(refused(status, body, headers).rests).toEqual(rests)
  })

  it("is the lane alone where the request holds the sentence", () => {
    for (const message of [
      limitOf("RPM", 500, 1, 500),
      "Too many requests, please wait before trying again.",
      "Extra usage is required for long context requests."
    ]) {
      const sent = JSON.stringify({ messages: message })
      expect(refused(429, openAi(message, null, "x"), {}, sent).rests).toEqual({ part: "lane" })
      expect(refused(429, openAi(`x ${message}`, null, "x")).rests).toEqual({ part: "lane" })
    }
  })

  it("is the lane alone where a name of a model holds the sentence", () => {
    const forged = `x in organization y on requests per min (RPM): Limit 1, Used 1, Requested 1`
    const message = `Rate limit reached for ${forged} in organization org-x on tokens per min (TPM): Limit 30000, Used 1, Requested 29999.`
    const rests = refused(429, openAi(message), {}, JSON.stringify({ model: forged })).rests
    expect(rests).not.toMatchObject({ isOfAll: true })
  })

  it("is the lane alone where the request chose the provider that refused", () => {
    const metadata = { provider_name: "theirs", raw: JSON.stringify(openAi(limitOf("RPM", 500, 1, 500))) }
    for (const status of [429, 529]) {
      const error = { code: status, message: "Provider returned error", metadata }
      expect(refused(status, { error }, { "x-ratelimit-remaining-requests": "0" }).rests).toEqual({ part: "lane" })
    }
  })

  it("names no time where waiting does not help, and is no other key's", () => {
    const error = refused(429, openAi(limitOf("TPM", 0, 52_000)), { "retry-after": "15" })
    expect(error).toMatchObject({
      retry: "elsewhere",
      retryAfterMs: undefined,
      failure: { _tag: "RateLimited", retryAfterSeconds: null, neverFits: true }
    })
    expect(isOfKey(error)).toBe(false)
    expect(refused(429, anthropic("Extra usage is required for long context requests."))).toMatchObject({
      retry: "elsewhere",
      retryAfterMs: 600_000,
      failure: { _tag: "RateLimited", neverFits: true }
    })
  })

  it("lasts as the limit that is used up, unless the answer knows better", () => {
    const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
    const headers = {
      "anthropic-ratelimit-requests-remaining": "12",
      "anthropic-ratelimit-requests-reset": at(500),
      "anthropic-ratelimit-output-tokens-remaining": "0",
      "anthropic-ratelimit-output-tokens-reset": at(20)
    }
    const { retryAfterMs = 0 } = refused(429, anthropic("slow"), headers)
    expect(Math.round(retryAfterMs / 1_000)).toBeGreaterThanOrEqual(19)
    expect(Math.round(retryAfterMs / 1_000)).toBeLessThanOrEqual(20)
    expect(refused(429, anthropic("slow"), { ...headers, "retry-after": "3" }).retryAfterMs).toBe(3_000)
  })

  it("is a 429 to the caller where Groq's flex tier is full", () => {
    expect(refused(498, { error: { message: "full", code: "capacity_exceeded" } })).toMatchObject({
      failure: { _tag: "RateLimited" },
      retry: "again"
    })
  })

  it.each([
    ["2026-11-28T20:00:00Z", "2026-11-29T08:00:00Z"],
    ["2026-11-28T07:59:59Z", "2026-11-28T08:00:00Z"],
    // The clocks change.
    ["2026-03-08T09:00:00Z", "2026-03-09T07:00:00Z"],
    ["2026-11-01T08:00:00Z", "2026-11-02T08:00:00Z"]
  ])("of a day at Google lasts until midnight there (%s)", (now, midnight) => {
    const nowMs = Date.parse(now)
    const details = quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier")
    const forMs = Date.parse(midnight) - nowMs
    expect(untilMidnight("America/Los_Angeles", nowMs)).toBe(forMs)
    expect(quotaRest({ details }, nowMs)).toEqual({ part: "tier", isOfAll: true, forMs })
  })

  it("of a day at Google lasts whatever `retryDelay` says", () => {
    const error = refused(429, google("RESOURCE_EXHAUSTED", "quota", quota("GenerateRequestsPerDayPerProjectPerModel")))
    expect(Math.abs((error.retryAfterMs ?? 0) - untilMidnight("America/Los_Angeles", Date.now()))).toBeLessThan(5_000)
  })

  it("is told inside an answer by its code alone", () => {
    expect(failedWith({ code: "server_is_overloaded", message: "busy" })).toMatchObject({
      trouble: "saturated",
      rests: overloaded,
      failure: { _tag: "UpstreamFailed" }
    })
    const message = limitOf("RPM", 500, 1, 500)
    expect(failedWith({ code: "rate_limit_exceeded", message }).rests).toBeUndefined()
    expect(failedWith({ code: 429, message }).rests).toEqual({ part: "lane" })
  })
})
