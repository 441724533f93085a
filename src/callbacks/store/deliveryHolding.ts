import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Clock, Effect, Schema } from "effect"
import { makeLostClaims } from "../../cluster/lostClaims.ts"
import { Node } from "../../cluster/Node.ts"
import { isLiving, whileItLives } from "../../cluster/store/living.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import type { LeasedDelivery } from "../Delivery.ts"

/** Longer than an attempt can take: DNS 3 s, the request 15 s. */
const leaseMs = 30_000

/** The duration of a sender's lease, and its end if the sender dies. */
export interface DeliveryHolding {
  readonly owner: () => string
  /** When a delivery claimed now is due again without an outcome. */
  readonly until: (nowMs: number) => number
  /** The last condition of a claim, with its values. */
  readonly mayClaim: Fragment
  readonly claimant: () => ReadonlyArray<string>
  /** Makes deliveries due that an earlier process held. */
  readonly takeOver: Effect.Effect<void, SqlError>
  /** Makes deliveries due that this process claimed but does not hold, if leases have no time limit. */
  readonly putBack: (inHand: Iterable<LeasedDelivery>) => Effect.Effect<void, SqlError>
}

/** For a single process (SQLite): a lease with a time limit. */
const forTime = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const node = yield* Node
  const holding: DeliveryHolding = {
    owner: node.id,
    until: (nowMs) => nowMs + leaseMs,
    mayClaim: sql``,
    claimant: () => [],
    // The lock on the database proves that this is the only process.
    takeOver: Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      commits.commit(sql`UPDATE deliveries SET lease_token = NULL, lease_owner = NULL, next_at = ${nowMs}
        WHERE lease_token IS NOT NULL AND lease_owner <> ${node.id()}`)
    ),
    putBack: () => Effect.void
  }
  return holding
})

/** For several nodes: a lease for the node's lifetime. Its burial makes its deliveries due. */
const forLife = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const node = yield* Node
  const clock = yield* Effect.clock

  node.whenReaping((dead) =>
    Effect.suspend(
      () => sql`UPDATE deliveries SET lease_token = NULL, lease_owner = NULL, next_at = ${clock.unsafeCurrentTimeMillis()}
        WHERE lease_token IS NOT NULL AND lease_owner = ${dead}`
    )
  )

  const findLost = makeLostClaims()
  const putBack: DeliveryHolding["putBack"] = Effect.fnUntraced(function* (inHand) {
    const ours = yield* sql`SELECT id, lease_token AS token FROM deliveries
        WHERE lease_token IS NOT NULL AND lease_owner = ${node.id()}`
    yield* Effect.forEach(
      findLost(claimed.all(ours), inHand),
      ({ id, token }) =>
        commits.commit(sql`UPDATE deliveries SET lease_token = NULL, lease_owner = NULL,
            next_at = ${clock.unsafeCurrentTimeMillis()} WHERE id = ${id} AND lease_token = ${token}`),
      { discard: true }
    )
  })

  const holding: DeliveryHolding = {
    owner: node.id,
    until: () => whileItLives,
    mayClaim: sql`AND ${isLiving(sql, "")}`,
    claimant: () => [node.id()],
    takeOver: Effect.void,
    putBack
  }
  return holding
})

export const makeDeliveryHolding = Effect.flatMap(
  Node,
  ({ isShared }): Effect.Effect<DeliveryHolding, never, Effect.Effect.Context<typeof forLife>> =>
    isShared ? forLife : forTime
)

const claimed = rows("deliveries", { id: Schema.String, token: Schema.String })
