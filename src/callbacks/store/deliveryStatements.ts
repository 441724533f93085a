import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Option, Schema } from "effect"
import { AccountId } from "../../contract/callers/Caller.ts"
import { amongDue } from "../../sql/amongDue.ts"
import { rows } from "../../sql/decode.ts"
import { prepare } from "../../sql/prepare.ts"
import { deliveryId } from "../Delivery.ts"
import type { LeasedDelivery } from "../Delivery.ts"
import type { DeliveryState } from "../DeliveryRecord.ts"
import type { DeliveryHolding } from "./deliveryHolding.ts"

export interface NewDelivery {
  readonly taskId: string
  readonly account: AccountId
  /** The number of the task's change. */
  readonly sequence: number
  readonly status: string
  /** The type of an event for the account's webhook; absent for the task's own callback address. */
  readonly event?: string | undefined
  readonly terminal: boolean
  readonly url: string
  readonly body: string
  /** The trace of its task. */
  readonly trace?: string | null
  readonly changedAtMs: number
  /** The earliest time to send it, in Unix ms; absent for at once. */
  readonly notBeforeMs?: number | undefined
}

/** A receiver (host and port) with due deliveries: the time and the account of the first. */
export interface HostDue {
  readonly host: string
  readonly account_id: AccountId
  readonly due: number
}

/** The state of a delivery after an attempt. */
export interface Standing {
  readonly state: DeliveryState
  readonly next_at: number | null
  readonly tries: number
  readonly delivered_at: number | null
}

/** The key of a sequence of deliveries. */
type Sequenced = Pick<LeasedDelivery, "event" | "task_id">

/** `failed`: the receiver wants no more of the task. */
type NewState = Extract<DeliveryState, "pending" | "waiting" | "failed">

interface Claim {
  readonly token: string
  readonly owner: string
  readonly untilMs: number
  readonly host: string
  readonly nowMs: number
  readonly limit: number
}

/** The statements of a delivery's path, prepared once. The caller runs each in its own transaction. */
export const deliveryStatements = (sql: SqlClient.SqlClient, { claimant, mayClaim }: DeliveryHolding) => {
  const locked = sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE"), orElse: () => sql.literal("") })
  const selectEarlier = prepare(
    sql,
    sql`SELECT id, attempts,
        CASE WHEN state IN ('pending', 'waiting') THEN 1 ELSE 0 END AS is_open,
        CASE WHEN state = 'pending' AND terminal = 0 AND tries > 0 AND redelivery = 0 AND lease_token IS NULL
          THEN 1 ELSE 0 END AS is_dropped
      FROM deliveries WHERE task_id = ${""} AND event = ${""} ORDER BY sequence ${locked}`
  )
  const insert = prepare(sql, sql`INSERT INTO deliveries ${sql.insert(newColumns(anyDelivery, "waiting"))}`)
  const someDue = sql`SELECT id FROM deliveries WHERE host = ${""} AND next_at <= ${0} ORDER BY next_at LIMIT ${0}`
  const claimDue = prepare(
    sql,
    sql`UPDATE deliveries SET lease_token = ${""}, lease_owner = ${""}, next_at = ${0}
      WHERE ${amongDue(sql, someDue)} ${mayClaim} RETURNING *`
  )
  const selectNewer = prepare(
    sql,
    sql`SELECT 1 FROM deliveries WHERE task_id = ${""} AND event = ${""} AND sequence > ${0} LIMIT 1`
  )
  const updateEnded = prepare(
    sql,
    sql`UPDATE deliveries SET ${sql.update(endColumns(anyStanding, ""))}
      WHERE id = ${""} AND lease_token = ${""} RETURNING id`
  )
  const updateNext = prepare(
    sql,
    sql`UPDATE deliveries SET state = 'pending', next_at = ${0}
      WHERE task_id = ${""} AND event = ${""} AND state = 'waiting'
      AND sequence = (SELECT MIN(sequence) FROM deliveries
        WHERE task_id = ${""} AND event = ${""} AND state = 'waiting')
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE task_id = ${""} AND event = ${""} AND state = 'pending')`
  )
  const updateUnwanted = prepare(
    sql,
    sql`UPDATE deliveries SET state = 'failed', next_at = NULL
      WHERE task_id = ${""} AND event = ${""} AND state IN ('pending', 'waiting') AND redelivery = 0
      AND lease_token IS NULL RETURNING id`
  )
  const selectNextDue = prepare(
    sql,
    sql`SELECT host, account_id, next_at AS due FROM deliveries
      WHERE next_at IS NOT NULL AND host = ${""} ORDER BY next_at LIMIT 1`
  )
  const updateUnsent = prepare(
    sql,
    sql`UPDATE deliveries SET next_at = ${0}
      WHERE task_id = ${""} AND event = '' AND tries = 0 AND lease_token IS NULL AND next_at > ${0}
      AND sequence = (SELECT MIN(sequence) FROM deliveries WHERE task_id = ${""} AND event = '')`
  )

  /** The deliveries of a task's earlier changes, oldest first. `is_dropped`: superseded by a newer change. */
  const earlierOf = ({ event, taskId }: Pick<NewDelivery, "event" | "taskId">) =>
    Effect.map(selectEarlier([taskId, event ?? ""]), earlierDeliveries.all)

  const add = (delivery: NewDelivery, state: NewState): Effect.Effect<unknown, SqlError> =>
    insert(Object.values(newColumns(delivery, state))).ahead

  const claim = ({ host, limit, nowMs, owner, token, untilMs }: Claim) =>
    claimDue([token, owner, untilMs, host, nowMs, limit, ...claimant()])

  const hasNewer = ({ event, sequence, task_id }: LeasedDelivery): Effect.Effect<boolean, SqlError> =>
    Effect.map(selectNewer([task_id, event, sequence]), (found) => found.length > 0)

  /** False if another sender has the lease. */
  const end = ({ id, token }: LeasedDelivery, stands: Standing, attempts: string): Effect.Effect<boolean, SqlError> =>
    Effect.map(
      updateEnded([...Object.values(endColumns(stands, attempts)), id, token]),
      (updated) => updated.length > 0
    )

  /** Makes the next waiting delivery of a task pending, unless one is already. */
  const promote = ({ event, task_id }: Sequenced, dueMs: number) =>
    updateNext([dueMs, task_id, event, task_id, event, task_id, event]).ahead

  /** Ends the task's deliveries that are not being sent. Returns how many. */
  const abandon = ({ event, task_id }: Sequenced) =>
    Effect.map(updateUnwanted([task_id, event]), (ended) => ended.length)

  /** The first due delivery of a receiver. */
  const nextDue = (host: string): Effect.Effect<Option.Option<HostDue>, SqlError> =>
    Effect.map(selectNextDue([host]), (found) => Option.fromNullable(hostDues.first(found)))

  const hurry = (taskId: string, nowMs: number) => updateUnsent([nowMs, taskId, nowMs, taskId])

  return { earlierOf, add, claim, hasNewer, end, promote, abandon, nextDue, hurry } as const
}

const earlierDeliveries = rows("deliveries", {
  id: Schema.String,
  // Not decoded: a row that can't be read must not stop its task.
  attempts: Schema.String,
  is_open: Schema.Boolean,
  is_dropped: Schema.Boolean
})
export const hostDues = rows("deliveries", { host: Schema.String, account_id: AccountId, due: Schema.Int })

/** The values of an attempt's end, in the statement's order. */
const endColumns = ({ delivered_at, next_at, state, tries }: Standing, attempts: string) => ({
  state,
  next_at,
  tries,
  delivered_at,
  redelivery: 0,
  lease_token: null,
  lease_owner: null,
  attempts
})

/** The values of a new row, in the statement's order. */
const newColumns = (delivery: NewDelivery, state: NewState) => ({
  id: deliveryId(delivery.taskId, delivery.event ?? delivery.status),
  task_id: delivery.taskId,
  event: delivery.event ?? "",
  account_id: delivery.account,
  sequence: delivery.sequence,
  status: delivery.status,
  terminal: delivery.terminal ? 1 : 0,
  url: delivery.url,
  host: hostOf(delivery.url),
  body: delivery.body,
  trace: delivery.trace ?? null,
  state,
  changed_at: delivery.changedAtMs,
  next_at: state === "pending" ? (delivery.notBeforeMs ?? delivery.changedAtMs) : null
})

/** Only for building the statement's text. */
const anyStanding: Standing = { state: "pending", next_at: null, tries: 0, delivered_at: null }
const anyDelivery: NewDelivery = {
  taskId: "",
  account: AccountId.make("any"),
  sequence: 0,
  status: "",
  terminal: false,
  url: "",
  body: "",
  changedAtMs: 0
}

/** The receiver of a delivery, as far as concurrency is concerned. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? ""
