import { Effect } from "effect"
import { handlers } from "../../contract/handlers.ts"
import type { makeAnswering } from "./answering.ts"
import { McpApi } from "./Api.ts"

/** Answers MCP clients. What that takes is loaded with the first message. */
export const McpHandlers = handlers(
  McpApi,
  Effect.gen(function* () {
    const context = yield* Effect.context<Effect.Effect.Context<typeof makeAnswering>>()
    const loaded = yield* Effect.promise(() => import("./answering.ts")).pipe(
      Effect.flatMap(({ makeAnswering: make }) => make),
      Effect.provide(context),
      Effect.orDie,
      Effect.uninterruptible,
      Effect.cached
    )
    return {
      all: (input) => Effect.flatMap(loaded, ({ all }) => all(input)),
      one: (input) => Effect.flatMap(loaded, ({ one }) => one(input))
    }
  })
)
