import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { BatchStore } from "../../src/batches/store/BatchStore.ts"
import { LineStore } from "../../src/batches/store/LineStore.ts"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const stores = Layer.mergeAll(BatchStore.Default, LineStore.Default).pipe(Layer.provideMerge(Ledger.Default))

/** A batch with lines that runs. */
const running = (id: string, { account = "a", at = 0, lines = 1 } = {}) =>
  Effect.gen(function* () {
    const batches = yield* BatchStore
    const caller = Caller.unrestricted(account)
    yield* batches.add({ id, caller, endpoint: "/v1/messages", details: {}, createdAtMs: at, expiresAtMs: at + 1_000 })
    const given = Array.from({ length: lines }, (_, place) => ({ place, customId: `n${place}`, request: "sealed" }))
    yield* Effect.flatMap(LineStore, (store) => store.insert(id, given))
    yield* batches.begin(id, lines)
  })

describeOnEach("the stores of batches", () => {
  const test = <A, E>(name: string, body: Effect.Effect<A, E, BatchStore | LineStore | SqlClient.SqlClient>) =>
    it.effect(name, () => Effect.provide(body, stores.pipe(Layer.provideMerge(database()))))

  test(
    "find the batches of every account, however many another one has",
    Effect.gen(function* () {
      for (let index = 0; index < 120; index++) yield* running(`first_${index}`, { at: index })
      yield* running("second", { account: "b", at: 1_000 })
      const found = yield* Effect.flatMap(BatchStore, (batches) => batches.running)
      expect([found.length, found[0]?.id, found.at(-1)?.id]).toEqual([100, "first_0", "second"])
    })
  )

  test(
    "read results page by page, few at a time if they are long",
    Effect.gen(function* () {
      yield* running("long", { lines: 5 })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE batch_lines SET result = ${"x".repeat(3 * 1024 * 1024)} WHERE place < 2`
      const lines = yield* LineStore
      const pages: Array<ReadonlyArray<number>> = []
      for (let after = -1, isLast = false; !isLast;) {
        const page = yield* lines.page("long", after, 2)
        pages.push(page.map(({ place }) => place))
        after = page.at(-1)?.place ?? after
        isLast = page.length === 0
      }
      expect(pages).toEqual([[0], [1, 2], [3, 4], []])
    })
  )

  test(
    "free lines that were taken without being known, and none that runs",
    Effect.gen(function* () {
      yield* running("taken", { lines: 3 })
      const lines = yield* LineStore
      const [first] = yield* lines.claim("taken", 2)
      if (first === undefined) return expect.unreachable()
      expect((yield* lines.claim("taken", 3)).map(({ place }) => place)).toEqual([2])
      yield* lines.unclaim("taken", [first])
      expect(new Set((yield* lines.claim("taken", 3)).map(({ place }) => place))).toEqual(new Set([1, 2]))
      expect(yield* lines.requestOf(first)).toBe("sealed")
    })
  )

  test(
    "keep the lines of a batch that runs, whoever looks at its file again",
    Effect.gen(function* () {
      yield* running("kept", { lines: 2 })
      const lines = yield* LineStore
      yield* lines.removeFilled("kept")
      expect(yield* lines.page("kept", -1, 10)).toHaveLength(2)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE batches SET state = 'validating' WHERE id = 'kept'`
      yield* lines.removeFilled("kept")
      expect(yield* lines.page("kept", -1, 10)).toEqual([])
    })
  )
})
