import { Effect, Layer } from "effect"
import { daemon } from "../../flow/daemon.ts"
import { backoff } from "../../flow/schedules.ts"
import { PeopleChecks } from "./PeopleChecks.ts"

/** Looks every ten seconds whom to ask about, and at once where there may be more. */
export const PeopleChecksLive = Layer.scopedDiscard(
  Effect.flatMap(PeopleChecks, ({ checkDue }) =>
    daemon(
      "people",
      Effect.map(checkDue, (hasMore) => (hasMore ? Effect.void : Effect.sleep("10 seconds"))),
      backoff
    )
  )
)
