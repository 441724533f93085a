import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import type { Usage } from "../../src/generation/GenerationEvent.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { mostOf } from "../../src/ledger/cost.ts"
import { nanoUsd } from "../../src/ledger/nanoUsd.ts"
import { countTokens } from "../../src/tokens/tokens.ts"
import { cases, conversation, maxOutputTokens, object, price, request, team, world } from "./usageWorld.ts"

/** JSON texts of what might stand where a count belongs; `1e999` is read as infinity. */
const anyCount: fc.Arbitrary<string | undefined> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 300 }).map(String) },
  fc.constantFrom(
    undefined,
    "null",
    "true",
    "{}",
    "[]",
    '"12"',
    '"-5"',
    '""',
    "-0",
    "-1",
    "-5000",
    "0.5",
    "1.5",
    "1e300",
    "-1e300"
  ),
  fc.constantFrom(
    "1e999",
    "-1e999",
    "5e-324",
    "9e15",
    "9007199254740991",
    "9007199254740992",
    "18446744073709551616",
    "250000"
  ),
  fc.integer().map(String),
  fc.maxSafeInteger().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)
)

const counts = fc.record({
  input: anyCount,
  output: anyCount,
  cached: anyCount,
  written: anyCount,
  forAnHour: anyCount,
  reasoning: anyCount,
  total: anyCount,
  searches: anyCount
})

type Counts = typeof counts extends fc.Arbitrary<infer A> ? A : never

const anyUsage = (of: (told: Counts) => string) =>
  fc.oneof(
    { weight: 12, arbitrary: counts.map(of) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, "null", "{}", "[]", '"free"', "-5", "1e300") }
  )

const chatUsage = (told: Counts) =>
  object({
    prompt_tokens: told.input,
    completion_tokens: told.output,
    total_tokens: told.total,
    prompt_tokens_details: object({ cached_tokens: told.cached }),
    completion_tokens_details: object({ reasoning_tokens: told.reasoning })
  })

const messagesUsage = (told: Counts) =>
  object({
    input_tokens: told.input,
    output_tokens: told.output,
    cache_read_input_tokens: told.cached,
    cache_creation_input_tokens: told.written,
    cache_creation: object({ ephemeral_1h_input_tokens: told.forAnHour }),
    server_tool_use: object({ web_search_requests: told.searches })
  })

const responsesUsage = (told: Counts) =>
  object({
    input_tokens: told.input,
    output_tokens: told.output,
    total_tokens: told.total,
    input_tokens_details: object({ cached_tokens: told.cached }),
    output_tokens_details: object({ reasoning_tokens: told.reasoning })
  })

const held = mostOf(price, { inputTokens: countTokens(conversation("m")), outputTokens: maxOutputTokens, searches: 0 })

interface Row {
  readonly input_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly cache_write_1h_tokens: number
  readonly output_tokens: number
  readonly estimated: number
  readonly cost_nano_usd: number
  readonly kinds: string
}

/** The last usage that a passed-through answer tells. */
const toldIn = (native: string): { readonly input: number; readonly output: number } => {
  const objects = native.includes("data: ")
    ? native.split("\n").flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6))] : []))
    : [JSON.parse(native)]
  const usages = objects.flatMap((one) => one.usage ?? one.response?.usage ?? [])
  const last = usages.at(-1) ?? {}
  const sum = (...names: ReadonlyArray<string>) => names.reduce((all, name) => all + (last[name] ?? 0), 0)
  return {
    input: sum("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "prompt_tokens"),
    // Some count reasoning in the total alone.
    output: Math.max(
      sum("output_tokens", "completion_tokens"),
      sum("total_tokens") - (last["prompt_tokens"] ?? Infinity)
    )
  }
}

const granted = nanoUsd(1_000)

const scripts = {
  "openai-chat": anyUsage(chatUsage),
  "anthropic-messages": anyUsage(messagesUsage),
  "openai-responses": anyUsage(responsesUsage)
}

describe("whatever usage an upstream tells", () => {
  for (const { isNative, protocol, stream } of cases) {
    const how = `${protocol}, ${stream ? "streamed" : "whole"}${isNative ? ", passed through" : ""}`
    it.scopedLive(`the books are exact, no account is credited, and what is charged is what is told (${how})`, () =>
      Effect.gen(function* () {
        const { live, play } = yield* world
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const ledger = yield* Ledger
          yield* sql`INSERT INTO accounts (id, created_at) VALUES (${team}, 0)`
          yield* Effect.flatMap(Grants, (grants) => grants.credit(team, granted, "test"))
          let settled = 0
          const scripted = fc.sample(fc.record({ usage: scripts[protocol], atStart: scripts[protocol] }), {
            numRuns: 60,
            seed: 12
          })
          for (const script of scripted) {
            play(script)
            const heard = yield* request(protocol, stream, isNative)
            yield* ledger.flush
            const balance = yield* ledger.balance(team)
            const [row] = yield* sql<Row>`SELECT *, typeof(input_tokens) || typeof(cache_read_tokens)
              || typeof(cache_write_tokens) || typeof(cache_write_1h_tokens) || typeof(output_tokens) || typeof(cost_nano_usd) AS kinds
              FROM usage ORDER BY id DESC LIMIT 1`
            const [stored] = yield* sql<{ settled: number; costs: number }>`SELECT settled_nano_usd AS settled,
              (SELECT SUM(cost_nano_usd) FROM usage) AS costs FROM accounts`
            const seen = JSON.stringify({ script, heard, row })
            if (row === undefined) throw new Error(`no row: ${seen}`)
            expect(row.kinds, seen).toBe("integer".repeat(6))
            expect(balance, seen).toEqual({ granted, settled: settled + row.cost_nano_usd, held: 0 })
            expect(stored, seen).toEqual({ settled: balance.settled, costs: balance.settled })
            expect(row.cost_nano_usd, seen).toBeGreaterThanOrEqual(0)
            expect(row.cost_nano_usd, seen).toBeLessThanOrEqual(10 * held)
            expect(row.cache_write_1h_tokens, seen).toBeLessThanOrEqual(row.cache_write_tokens)
            expect(row.cache_write_1h_tokens, seen).toBeGreaterThanOrEqual(0)
            const input = row.input_tokens + row.cache_read_tokens + row.cache_write_tokens
            const told = isNative
              ? toldIn(heard.native)
              : { input: total(heard.usage), output: heard.usage?.outputTokens }
            expect(told, seen).toEqual({ input, output: row.output_tokens })
            settled = balance.settled
          }
        }).pipe(Effect.provide(live))
      })
    )
  }
})

const total = (usage: Usage | undefined) =>
  usage === undefined ? undefined : usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
