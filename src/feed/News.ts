import type { SqlError } from "@effect/sql/SqlError"
import type { Effect } from "effect"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import type { StoredRequest } from "../requests/store/RequestStore.ts"

/** Kinds of things that watchers see change. */
export type ChangedKind = "key" | "account" | "task" | "delivery" | "configuration" | "session" | "upstream"

/** A change. */
export interface Changed {
  readonly what: ChangedKind
  readonly id: string
  /** The owning account; absent for changes that only operators see. */
  readonly account?: string
}

/** The results of one poll. */
export interface News {
  /** Finished requests, in the order of their ends. */
  readonly requests?: ReadonlyArray<StoredRequest>
  /** Number of further requests that were left out. */
  readonly skipped?: number
  readonly changed?: ReadonlyArray<Changed>
}

/** Polls for one kind of news since `begin`. */
export interface NewsPoll {
  readonly begin: Effect.Effect<unknown, SqlError | StoreFailure>
  readonly look: Effect.Effect<News, SqlError | StoreFailure>
}
