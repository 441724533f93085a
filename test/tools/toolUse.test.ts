import { expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { ToolUse } from "../../src/tools/store/ToolUse.ts"
import { toolCallWriter } from "../../src/tools/store/toolCalls.ts"
import type { CallEnd } from "../../src/tools/store/toolCalls.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const world = ToolUse.Default.pipe(
  Layer.provideMerge(Layer.merge(Commits.Default, Daemons.Default)),
  Layer.provideMerge(database())
)

describeOnEach("the use of tools", () => {
  it.live("counts calls and errors of each server since a time", () =>
    Effect.gen(function* () {
      const { whole } = toolCallWriter(yield* SqlClient.SqlClient)
      const { commit } = yield* Commits
      const add = (id: string, server: string, atMs: number, outcome: CallEnd["outcome"], durationMs: number) =>
        commit(
          whole(
            { id, atMs, requestId: "r", account: "a", key: "k", server, tool: "t" },
            { outcome, durationMs, sentBytes: 1, receivedBytes: 1, costNanoUsd: 0 }
          ),
          "soon"
        )
      yield* add("1", "wiki", 5, "completed", 900)
      yield* add("2", "wiki", 10, "completed", 20)
      yield* add("3", "wiki", 11, "timeout", 60_000)
      yield* add("4", "wiki", 12, "refused", 0)
      yield* add("5", "jira", 12, "failed", 30)
      const found = yield* Effect.flatMap(ToolUse, ({ since }) => since(10))
      expect(found.get("wiki")).toEqual({ calls: 3, errors: 1, durations: [60_000, 20] })
      expect(found.get("jira")).toEqual({ calls: 1, errors: 1, durations: [30] })
      expect(found.size).toBe(2)
    }).pipe(Effect.provide(world))
  )
})
