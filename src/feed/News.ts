import type { SqlError } from "@effect/sql/SqlError"
import type { Effect } from "effect"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import type { StoredRequest } from "../requests/store/RequestStore.ts"

/** What may change while somebody watches. */
export type What = "key" | "account" | "task" | "delivery" | "configuration" | "session" | "upstream"

/** Something that is not as it was. */
export interface Changed {
  readonly what: What
  readonly id: string
  /** Whose it is; absent where only those who run the gateway hear of it. */
  readonly account?: string
}

/** What a look has found. */
export interface News {
  /** Requests that are over, in the order in which they ended. */
  readonly requests?: ReadonlyArray<StoredRequest>
  /** And how many more there were. */
  readonly skipped?: number
  readonly changed?: ReadonlyArray<Changed>
}

/** Looks for one kind of news, from when it began. */
export interface Look {
  readonly begin: Effect.Effect<unknown, SqlError | StoreFailure>
  readonly look: Effect.Effect<News, SqlError | StoreFailure>
}
