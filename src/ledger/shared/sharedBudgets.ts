import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { Changes } from "../../sql/Changes.ts"
import { claimsOf, other } from "../budgets/claims.ts"
import type { Claim } from "../budgets/claims.ts"
import { distinct } from "../budgets/Counters.ts"
import { isOwn, mostOwn } from "../budgets/own.ts"
import { budgetCounters, place } from "../store/budgetCounters.ts"
import type { Ask } from "./judgeCharges.ts"

/** The most counters that a node knows; it forgets all of them beyond. */
const mostKnown = 100_000
/** How long an account counts as one without room for another tag or end user, in ms. */
const fullMs = 1_000
/** A step may begin between two attempts. */
const mostRounds = 3

/**
 * The counters of budgets that nodes share on Postgres. A row that is to be locked must be there before the statement
 * begins, otherwise two nodes could each begin with an empty one: a node creates those that it does not know.
 *
 * @param summed adds up usage so far; runs before a budget begins to count
 */
export const makeSharedBudgets = Effect.fnUntraced(function* (summed: Effect.Effect<void, SqlError>) {
  const sql = yield* SqlClient.SqlClient
  const { nowMs } = yield* Changes
  const stored = budgetCounters(sql)
  let known = new Set<string>()
  const full = new Map<string, number>()

  const isThere = (budget: string, subject: string, step: number) => known.has(`${budget} ${subject} ${step}`)

  /** A claim for whose counter the account has no room is one on the shared counter. */
  const placed = (claim: Claim, atMs: number): Claim =>
    isOwn(claim.subject) &&
    !isThere(claim.meter.id, claim.subject, claim.place.step) &&
    (full.get(claim.meter.account) ?? 0) > atMs
      ? { ...claim, subject: other }
      : claim

  /** Decides what each request claims, by the database's clock. */
  const claim = (some: ReadonlyArray<Ask>): ReadonlyArray<Claim> => {
    const atMs = nowMs()
    const missing: Array<Claim> = []
    for (const ask of some) {
      const claims = claimsOf(ask.caller, ask.hold.request, ask.hold.nanoUsd, atMs)
      ask.claims = claims.length === 0 ? claims : distinct(claims.map((one) => placed(one, atMs)))
      for (const one of ask.claims) {
        if (!isThere(one.meter.id, one.subject, one.place.step)) missing.push(one)
      }
    }
    return missing
  }

  const create = Effect.fnUntraced(function* (missing: ReadonlyArray<Claim>): Effect.fn.Return<void, SqlError> {
    const atMs = nowMs()
    yield* summed
    const meters = new Map(missing.map(({ meter }) => [meter.id, meter]))
    for (const meter of meters.values()) yield* stored.begin(meter, atMs)
    const others = yield* withoutRoom(missing, atMs)
    const wanted = missing.map((one) => (others.has(one) ? { ...one, subject: other } : one))
    const rows = new Map(
      wanted.flatMap(({ meter, place: { endsAt, next, since, step }, subject }) => {
        // Another node may still be in the step before.
        const lengthMs = next - step
        const before = since < step ? [place(meter, subject, step - lengthMs, endsAt - lengthMs)] : []
        return [place(meter, subject, step, endsAt), ...before].map(
          (row) => [`${row.budget} ${row.subject} ${row.step}`, row] as const
        )
      })
    )
    yield* stored.insert([...rows.values()])
    if (known.size + rows.size > mostKnown) known = new Set()
    for (const { meter, place: at, subject } of wanted) known.add(`${meter.id} ${subject} ${at.step}`)
  })

  /** The claims for new tags and end users beyond the room of their accounts. */
  const withoutRoom = Effect.fnUntraced(function* (
    missing: ReadonlyArray<Claim>,
    atMs: number
  ): Effect.fn.Return<ReadonlySet<Claim>, SqlError> {
    const own = missing.filter(({ subject }) => isOwn(subject))
    const refused = new Set<Claim>()
    if (own.length === 0) return refused
    const there = yield* stored.existing(
      own.map(({ meter, subject }) => ({ budget: meter.id, subject })),
      atMs
    )
    const exists = new Set(there.map(({ budget, subject }) => `${budget} ${subject}`))
    for (const account of new Set(own.map(({ meter }) => meter.account))) {
      const fresh = own.filter(
        ({ meter, subject }) => meter.account === account && !exists.has(`${meter.id} ${subject}`)
      )
      if (fresh.length === 0) continue
      const room = mostOwn - (yield* stored.ownOf(account, atMs))
      if (fresh.length <= room) continue
      for (const one of fresh.slice(Math.max(0, room))) refused.add(one)
      full.set(account, atMs + fullMs)
    }
    return refused
  })

  const created = (
    some: ReadonlyArray<Ask>,
    missing: ReadonlyArray<Claim>,
    rounds: number
  ): Effect.Effect<void, SqlError> =>
    Effect.flatMap(create(missing), () => {
      const still = claim(some)
      return still.length === 0 || rounds <= 1 ? Effect.void : created(some, still, rounds - 1)
    })

  return {
    /** Gives requests their claims; undefined if all counters are there. */
    prepare: (some: ReadonlyArray<Ask>): Effect.Effect<void, SqlError> | undefined => {
      const missing = claim(some)
      return missing.length === 0 ? undefined : created(some, missing, mostRounds)
    },
    nowMs
  } as const
})
