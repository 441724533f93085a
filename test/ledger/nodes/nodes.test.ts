import { describe, expect, inject, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Scope } from "effect"
import { engines } from "../../sql/engines.ts"
import { booksAt } from "./books.ts"
import { startWorker } from "./startWorker.ts"
import type { Worker } from "./startWorker.ts"

const dollar = 1_000_000_000
const postgres = engines.find(({ name }) => name === "postgres")
const newUrl = Effect.suspend(() => (postgres === undefined ? Effect.dieMessage("there is no Postgres") : postgres.url))

/** A database with an account of so many dollars, and nodes of their own that serve from it. */
const world = (options: { readonly dollars?: number; readonly nodes: number }) =>
  Effect.gen(function* () {
    const url = yield* newUrl
    const books = yield* booksAt(url)
    yield* Effect.promise(() => books.account("team", options.dollars))
    const nodes = yield* Effect.forEach(Array.from({ length: options.nodes }), () => worker(url), {
      concurrency: "unbounded"
    })
    return { url, books, nodes }
  })

const worker = (url: string): Effect.Effect<Worker, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => startWorker(url)),
    ({ end, signal }) =>
      Effect.promise(() => {
        signal("SIGCONT")
        return end("killed")
      })
  )

const tell = (nodes: ReadonlyArray<Worker>, command: Parameters<Worker["tell"]>[0]) =>
  Effect.map(
    Effect.promise(() => Promise.all(nodes.map((node) => node.tell(command)))),
    (answers) => answers.flat()
  )

const counted = (answers: ReadonlyArray<string>) => {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1
  return counts
}

const ask = { do: "hold", account: "team", count: 67, dollars: 1 } as const

describe.runIf(inject("postgres") !== undefined)("money of three nodes", () => {
  it.scopedLive("lets ten of 201 parallel requests through on a balance for exactly ten", () =>
    Effect.gen(function* () {
      const { books, nodes } = yield* world({ dollars: 10, nodes: 3 })
      expect(counted(yield* tell(nodes, ask))).toEqual({ held: 10, InsufficientBalance: 191 })
      expect(yield* books.of("team")).toMatchObject({ granted: 10 * dollar, settled: 0, held: 10 * dollar })
      yield* tell(nodes, { do: "settle", dollars: 1 })
      expect(yield* books.of("team")).toMatchObject({ settled: 10 * dollar, held: 0, rows: 10 })
    })
  )

  it.scopedLive("lets a key spend its budget, whichever nodes it asks, and no more", () =>
    Effect.gen(function* () {
      const { books, nodes } = yield* world({ nodes: 3 })
      const budgeted = { ...ask, dollars: 2, budget: 20 }
      expect(counted(yield* tell(nodes, budgeted))).toEqual({ held: 10, QuotaExceeded: 191 })
      // What is given back may be held again, anywhere.
      yield* tell(nodes, { do: "settle", dollars: 1 })
      expect(counted(yield* tell(nodes, budgeted))).toEqual({ held: 5, QuotaExceeded: 196 })
      yield* tell(nodes, { do: "settle" })
      expect(yield* books.of("team")).toMatchObject({
        settled: 10 * dollar,
        held: 0,
        rows: 10,
        budgetHeld: 0,
        budgetUsed: 10 * dollar
      })
      expect(counted(yield* tell(nodes, { ...budgeted, dollars: 10 }))).toEqual({ held: 1, QuotaExceeded: 200 })
    })
  )

  it.scopedLive.each([
    ["tokens of a rolling minute", { unit: "tokens", limit: 20, window: { rollingMs: 60_000 } }, "RateLimited"],
    ["requests of a week", { unit: "requests", limit: 10, window: { per: "week", zone: "Asia/Tokyo" } }, "RateLimited"],
    ["dollars in total", { unit: "usd", limit: 20 * dollar, window: { per: "total" } }, "QuotaExceeded"]
  ] as const)("lets 201 parallel requests of a key use its %s, and no more", ([, budget, refusal]) =>
    Effect.gen(function* () {
      const { books, nodes } = yield* world({ nodes: 3 })
      const asked = { ...ask, dollars: 2, budgets: [budget] }
      expect(counted(yield* tell(nodes, asked))).toEqual({ held: 10, [refusal]: 191 })
      const [dead, ...others] = nodes
      // A killed node's part is released, another one's stays.
      yield* Effect.promise(() => dead?.end("killed") ?? Promise.resolve())
      yield* books.until("team", ({ nodes }) => nodes === 2)
      const { budgetHeld } = yield* books.of("team")
      expect(counted(yield* tell(others, asked))["held"] ?? 0).toBe((budget.limit - budgetHeld) / (budget.limit / 10))
      yield* tell(others, { do: "settle", dollars: 2 })
      expect(yield* books.of("team")).toMatchObject({ budgetHeld: 0, budgetUsed: budget.limit })
      expect(counted(yield* tell(others, asked))).toEqual({ [refusal]: 134 })
    })
  )

  it.scopedLive("is as it was where requests of many amounts come and go", () =>
    Effect.gen(function* () {
      const { books, nodes } = yield* world({ dollars: 200, nodes: 3 })
      for (let round = 0; round < 4; round++) {
        yield* Effect.forEach(
          nodes,
          (node, n) =>
            Effect.promise(async () => {
              await Promise.all([node.tell({ ...ask, dollars: 1 + n }), node.tell({ ...ask, dollars: 7, count: 5 })])
              await node.tell(round % 2 === 0 ? { do: "settle", dollars: 1 } : { do: "settle" })
            }),
          { concurrency: "unbounded" }
        )
      }
      const { held, rows, settled } = yield* books.of("team")
      expect(rows).toBeGreaterThan(0)
      expect([held, settled]).toEqual([0, rows * dollar])
    })
  )

  it.scopedLive("of a killed node is released once, whichever node reaps it", () =>
    Effect.gen(function* () {
      const { books, nodes } = yield* world({ dollars: 10, nodes: 3 })
      const [dead, ...others] = nodes
      if (dead === undefined) return
      expect(counted(yield* tell([dead], { ...ask, count: 6 }))).toEqual({ held: 6 })
      expect(counted(yield* tell(others, { ...ask, count: 1 }))).toEqual({ held: 2 })
      // In the middle of its requests.
      void dead.tell({ ...ask, count: 100 })
      void dead.tell({ do: "settle" })
      yield* Effect.promise(() => dead.end("killed"))
      yield* books.until("team", ({ nodes }) => nodes === 2)
      expect(yield* books.of("team")).toMatchObject({ held: 2 * dollar, settled: 0 })
      expect(counted(yield* tell(others, { ...ask, count: 10 }))).toEqual({ held: 8, InsufficientBalance: 12 })
    })
  )

  it.scopedLive("of one that ends politely is given back by itself", () =>
    Effect.gen(function* () {
      const { books, nodes } = yield* world({ dollars: 10, nodes: 1 })
      expect(counted(yield* tell(nodes, { ...ask, count: 6 }))).toEqual({ held: 6 })
      yield* Effect.forEach(nodes, (node) => Effect.promise(() => node.end("politely")))
      expect(yield* books.of("team")).toMatchObject({ held: 0, nodes: 0 })
    })
  )

  it.scopedLive("of one that is paused past its time is not given back a second time when it wakes", () =>
    Effect.gen(function* () {
      const { books, nodes } = yield* world({ dollars: 11, nodes: 2 })
      const [paused, other] = nodes
      if (paused === undefined || other === undefined) return
      yield* tell([paused], { ...ask, count: 1 })
      yield* tell([paused], { do: "settle", dollars: 1 })
      expect(counted(yield* tell([paused], { ...ask, count: 8 }))).toEqual({ held: 8 })
      paused.signal("SIGSTOP")
      yield* books.until("team", ({ nodes }) => nodes === 1)
      expect(yield* books.of("team")).toMatchObject({ held: 0 })
      // Others have what it had.
      expect(counted(yield* tell([other], { ...ask, count: 10 }))).toEqual({ held: 10 })
      // It pays for what it has used all the same, and gives nothing back: not even before it hears of its own burial.
      const settled = paused.tell({ do: "settle", dollars: 1 })
      paused.signal("SIGCONT")
      yield* Effect.promise(() => settled)
      expect(yield* books.of("team")).toMatchObject({ held: 10 * dollar, settled: 9 * dollar, rows: 9 })
      yield* tell([other], { do: "settle" })
      expect(yield* books.of("team")).toMatchObject({ held: 0, settled: 9 * dollar })
      // And goes on as another.
      expect(counted(yield* tell([paused], { ...ask, count: 5 }))).toEqual({ held: 2, InsufficientBalance: 3 })
      const [id] = yield* tell([paused], { do: "id" })
      expect(id).not.toBe(paused.id)
      yield* tell([paused], { do: "settle" })
      expect(yield* books.of("team")).toMatchObject({ held: 0, settled: 9 * dollar })
    })
  )
})
