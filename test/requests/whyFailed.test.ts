import { describe, expect, it } from "@effect/vitest"
import { errorName } from "../../src/contract/failures/errorName.ts"
import { failures } from "../../src/contract/failures/Failure.ts"
import { whyFailed } from "../../src/requests/whyFailed.ts"

const attempt = {
  upstream: "near",
  upstream_model: "m",
  status: 200,
  error: null,
  offset_ms: 0,
  queue_ms: 0,
  duration_ms: 1,
  upstream_request_id: null
}

const row = {
  attempts: [],
  cost_usd: null,
  error: null,
  reason: null,
  settled_at: null,
  status: 403,
  task: null
} as const

/** Both sentences, of a refusal unless the fields say otherwise. */
const why = (fields: Partial<Parameters<typeof whyFailed>[0]>): string => {
  const told = whyFailed({ ...row, ...fields })
  return told === undefined ? "" : `${told.what} ${told.so}`
}

describe("why a request failed", () => {
  it("is told by the code of its failure, and each code has a reason of its own", () => {
    const codes = Object.keys(failures).map((_tag) => errorName({ _tag }))
    const all = codes.map((error) => why({ error }))
    expect(new Set(all).size).toBe(codes.length)
    // A code of another version, and rows of older ones, which have none.
    expect(all).not.toContain(why({ error: "of_tomorrow" }))
    expect(why({ error: "of_tomorrow" })).toBe(why({}))
  })

  it("does not depend on the status, which differs between families", () => {
    for (const [error, statuses] of [
      ["quota_exceeded", [402, 403, 429]],
      ["unknown_model", [400, 404]],
      ["unpriced", [400, 403]]
    ] as const)
      expect(new Set(statuses.map((status) => why({ error, status }))).size).toBe(1)
    expect(why({ error: "quota_exceeded", status: 402 })).not.toBe(why({ error: "insufficient_balance", status: 402 }))
  })

  it.each([
    ["invalid_request", 400, "no upstream was asked", "in the words of the reason"],
    ["rate_limited", 429, "A limit was reached.", "A limit of the upstream was reached."],
    ["upstream_failed", 500, "No upstream was asked.", "No upstream answered."]
  ] as const)("%s says whether an upstream was asked", (error, status, alone, asked) => {
    expect(why({ error, status })).toContain(alone)
    expect(why({ error, status, attempts: [{ ...attempt, status }] })).toContain(asked)
  })

  it("names a guardrail that blocked, or gave no verdict", () => {
    const call = { name: "pii", on: "input", ms: 1, calls: 1, verdict: "failed" } as const
    const reason = "blocked by a guardrail"
    expect(why({ error: "invalid_request", status: 400, reason })).toContain("A guardrail blocked")
    expect(why({ error: "unavailable", status: 503, guardrails: [call] })).toContain("gave no verdict")
    // What went on failed for another reason.
    expect(why({ error: "upstream_failed", status: 502, guardrails: [call] })).toContain("No upstream was asked")
  })

  it("says what the ledger charged, also for what broke off", () => {
    const cut = { error: "upstream_failed", status: 200 }
    expect(why(cut)).toBe("The answer broke off after it had begun. So nothing else was tried. Nothing was charged.")
    expect(why({ ...cut, cost_usd: 0 })).toContain("Nothing was charged.")
    expect(why({ ...cut, cost_usd: 0.002 })).toContain("$0.002 was charged.")
    expect(why({ ...cut, upstream_cost_usd: 0.002 })).toContain(
      "Nothing was charged; the upstream’s $0.002 is the operator’s."
    )
    expect(why({ error: "hang_up", status: 499, cost_usd: 0.01, upstream_cost_usd: 0.01 })).toContain(
      "$0.01 was charged."
    )
    expect(why({ error: "upstream_failed", status: 500, task: "cgt-1" })).toContain("settled with its task")
  })

  it("is nothing for a request that finished", () => {
    expect(whyFailed({ ...row, status: 200 })).toBeUndefined()
  })
})
