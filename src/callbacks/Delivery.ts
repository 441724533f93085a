import { Schema } from "effect"
import { AccountId } from "../contract/callers/Caller.ts"
import { rows } from "../sql/decode.ts"
import { DeliveryAttempt, DeliveryState } from "./DeliveryRecord.ts"
import type { DeliveryRecord } from "./DeliveryRecord.ts"

/** The rows of `deliveries`. */
export const deliveries = rows("deliveries", {
  id: Schema.String,
  task_id: Schema.String,
  event: Schema.String,
  account_id: AccountId,
  sequence: Schema.Int,
  status: Schema.String,
  terminal: Schema.Literal(0, 1),
  url: Schema.String,
  host: Schema.String,
  body: Schema.String,
  trace: Schema.NullOr(Schema.String),
  state: DeliveryState,
  changed_at: Schema.Int,
  next_at: Schema.NullOr(Schema.Int),
  lease_token: Schema.NullOr(Schema.String),
  tries: Schema.Int,
  redelivery: Schema.Literal(0, 1),
  attempts: Schema.parseJson(Schema.Array(DeliveryAttempt)),
  delivered_at: Schema.NullOr(Schema.Int)
})
/** A row of `deliveries`. */
export type Delivery = ReturnType<typeof deliveries.one>

/** A delivery leased by one sender. */
export interface LeasedDelivery extends Delivery {
  readonly token: string
  readonly claimedAtMs: number
}

/** The outcome of an attempt. */
export interface Outcome {
  readonly startedAtMs: number
  readonly endedAtMs: number
  /** The receiver's HTTP status; absent if it gave none. */
  readonly status?: number
  readonly retryAfterMs?: number | undefined
  readonly reason?: string
}

/**
 * The `webhook-id`: the same for every attempt at one change, in every process. A task enters each state once.
 *
 * @param change the task's new state, or the type of the event
 */
export const deliveryId = (taskId: string, change: string): string =>
  `msg_${Bun.SHA256.hash(`${taskId}:${change}`, "hex").slice(0, 32)}`

const seconds = (ms: number) => Math.floor(ms / 1000)

export const toRecord = (row: Delivery): DeliveryRecord => ({
  id: row.id,
  task_id: row.task_id,
  status: row.status,
  ...(row.event === "" ? {} : { event: row.event }),
  state: row.state,
  created_at: seconds(row.changed_at),
  attempts: row.attempts,
  ...(row.next_at === null || row.lease_token !== null ? {} : { next_attempt_at: seconds(row.next_at) }),
  ...(row.delivered_at === null ? {} : { delivered_at: seconds(row.delivered_at) })
})
