import { describe, expect, it } from "vitest"
import { accountTable } from "../../src/commands/accountTable.ts"
import { deliveryTable } from "../../src/commands/deliveries.ts"
import { requestTable } from "../../src/commands/requestTable.ts"
import { noSettings } from "../../src/contract/callers/accountSettings.ts"
import { money } from "../../src/ledger/Money.ts"

const none = { requests_per_minute: null, tokens_per_minute: null, concurrent_requests: null, concurrent_tasks: null }

const account = (id: string, granted: number | null, settled: number) =>
  ({
    object: "account",
    id,
    metered: granted !== null,
    granted: granted === null ? null : money(granted),
    settled: money(settled),
    held: money(0),
    available: granted === null ? null : money(granted - settled),
    models: ["*"],
    not_models: [],
    declared: [],
    limits: none,
    ...noSettings,
    budgets: [],
    search_domains: { allowed: null, blocked: null },
    webhook_url: null,
    unpriced: null,
    keys: 2,
    suspended_at: null,
    version: 1,
    created_at: "2026-01-31T12:00:00Z"
  }) as const

const request = (status: number, error: string | null, cost_usd: number | null) =>
  ({
    object: "request",
    request_id: "req_1",
    time: "2026-01-31T12:00:00Z",
    account: "team",
    key: "key_1",
    key_name: "main",
    family: "messages",
    endpoint: "/v1/messages",
    model: "house",
    fallback: null,
    served_model: null,
    upstream: null,
    upstream_model: null,
    attempts: [],
    status,
    error,
    reason: null,
    stream: false,
    first_byte_ms: 1,
    duration_ms: 2,
    input_tokens: 3,
    output_tokens: 4,
    cache_read_tokens: 5,
    cache_write_tokens: 6,
    reasoning_tokens: 4,
    searches: 0,
    cost_usd,
    price_source: null,
    settled_at: null,
    adapted: null,
    notes: [],
    tags: [],
    end_user: null,
    conversation: null,
    client: null,
    task: null,
    idempotency: null
  }) as const

const delivery = (state: "delivered" | "failed", tries: number) =>
  ({
    object: "delivery",
    id: "msg_1",
    task: "cgt-1",
    account: "team",
    status: "succeeded",
    event: null,
    url: "https://callback.invalid/",
    state,
    attempts: Array.from({ length: tries }, () => ({ at: 0, status: 200, duration_ms: 1 })),
    created_at: "2026-01-31T12:00:00Z",
    next_attempt_at: null,
    delivered_at: null
  }) as const

const lastOf = (table: string) => table.split("\n").at(-1)?.trim().split(/ {2,}/)

describe("the last line of a table", () => {
  it("sums accounts' money", () => {
    expect(lastOf(accountTable([account("a", 1_500_000_000, 1), account("b", 2_000_000_000, 2)]))).toEqual([
      "2 accounts",
      "$3.50",
      "$3.50",
      "$0.000000003",
      "$0.00",
      "4"
    ])
  })

  it("leaves accounts out that spend without end, and sums more than a single amount may be", () => {
    const most = Number.MAX_SAFE_INTEGER
    const table = accountTable([account("a", null, 1), account("b", most, 0), account("c", most, 0)])
    expect(lastOf(table)).toEqual(["3 accounts", "$18,014,398.51", "$18,014,398.51", "$0.000000001", "$0.00", "6"])
  })

  it("sums what requests used, and says how many failed", () => {
    const all = [request(200, null, 0.25), request(200, "hang_up", null), request(429, "rate_limited", null)]
    expect(lastOf(requestTable(all))).toEqual(["3 requests", "1 failed", "54", "$0.25"])
  })

  it("counts callbacks by how they stand", () => {
    expect(lastOf(deliveryTable([delivery("delivered", 1), delivery("failed", 3), delivery("failed", 2)]))).toEqual([
      "3 callbacks",
      "1 delivered, 2 failed",
      "6"
    ])
  })

  it("is not there below a single row", () => {
    expect(accountTable([account("a", 1, 0)]).split("\n")).toHaveLength(2)
  })
})
