import { Effect } from "effect"
import { DeliveryList } from "../../callbacks/store/DeliveryList.ts"
import type { StuckReceiver } from "../../callbacks/store/DeliveryList.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import { showUsd } from "../../contract/showUsd.ts"
import { Bulkheads } from "../../routing/Bulkhead.ts"
import { Troubles } from "../store/Troubles.ts"
import { problem, utcText } from "./Problem.ts"
import type { Problem } from "./Problem.ts"

const hourMs = 3_600_000
/** Failures are reported from this many requests and this error rate on. */
const minRequests = 20
const minErrorRate = 0.2
/** So many calls that failed behind others are reported, at that rate. */
const minHidden = 5
/** The last of eight tries comes a day after the change, a `Retry-After` may add another; it is reported for a third. */
const callbacksMs = 72 * hourMs

/** A receiver that failed this often has been away for two minutes. */
const failedTries = 4

/** Costs above holds are reported from this sum a day on, in nano-dollars. */
const leastAboveHolds = 10_000_000

/** Upstreams that fail or cost more than was held, and callbacks that are stuck. */
export const makeTrafficProblems = Effect.gen(function* () {
  const troubles = yield* Troubles
  const listed = yield* DeliveryList
  const bulkheads = yield* Bulkheads
  const catalogue = yield* Catalogue

  /** Failover hides an upstream that fails from callers, not from the operator. */
  const behindOthers = (name: string) => {
    const models = [...catalogue.values()].filter(({ routes }) => routes.some(({ upstream }) => upstream === name))
    return models.length > 0 && models.every(({ routes }) => routes.some(({ upstream }) => upstream !== name))
      ? "; other routes answer for it"
      : ""
  }

  const upstream = (name: string, level: Problem["level"], message: string, page: string, sinceMs?: number) =>
    problem({
      level,
      what: "upstream",
      id: name,
      message,
      action: "See how its calls fail, and test its address and key: `gateway check --live`.",
      page,
      sinceMs
    })

  const circuits = (nowMs: number) =>
    [...bulkheads].flatMap(([name, { circuit }]) =>
      circuit.state(nowMs) === "closed"
        ? []
        : [
            upstream(
              name,
              "error",
              `${name} fails: no calls for ${Math.ceil(circuit.waitMs(nowMs) / 1_000)} s${behindOthers(name)}`,
              requestsPage(`attempt:${name}`)
            )
          ]
    )

  const failures = (nowMs: number) => {
    const sinceMs = nowMs - (nowMs % hourMs) - hourMs
    const since = `since ${utcText(sinceMs)}`
    return Effect.map(troubles.recentRequests(sinceMs), (rows) =>
      rows.flatMap(({ calls, failed, hidden, requests, upstream: name }) => {
        if (requests >= minRequests && failed / requests >= minErrorRate) {
          const message = `${name}: ${failed} of ${requests} requests failed ${since}`
          return [upstream(name, "warning", message, requestsPage(`upstream:${name} failed`), sinceMs)]
        }
        if (hidden >= minHidden && hidden / calls >= minErrorRate) {
          const message = `${name}: ${hidden} of ${calls} calls failed ${since}, and other routes answered for it`
          return [upstream(name, "warning", message, requestsPage(`attempt:${name}`), sinceMs)]
        }
        return []
      })
    )
  }

  const aboveHolds = (nowMs: number) => {
    const sinceMs = nowMs - (nowMs % hourMs) - 23 * hourMs
    return Effect.map(troubles.aboveHolds(sinceMs, leastAboveHolds), (rows) =>
      rows.map(({ model, nano_usd: nanoUsd, upstream }) =>
        problem({
          what: "upstream",
          id: upstream,
          message: `${model} at ${upstream} cost $${showUsd(nanoUsd)} more than was held since ${utcText(sinceMs)}: callers did not pay it`,
          action:
            "See its requests with the note `above_hold`: raise `hold_output_tokens`, set the model's " +
            "`max_output_tokens`, or ask the upstream about its usage.",
          page: requestsPage(`upstream:${upstream} model:${model}`),
          state: `above_hold ${model}`
        })
      )
    )
  }

  const callbacks = (nowMs: number) =>
    Effect.map(listed.stuckReceivers(nowMs - callbacksMs, failedTries), (receivers) =>
      receivers.map((receiver) =>
        problem({
          what: "delivery",
          id: null,
          message: stuckText(receiver),
          action:
            "Mend the receiver, then send what failed again: `gateway deliveries list --state stuck`, " +
            "`gateway deliveries redeliver ID`.",
          page: "tasks?callback=stuck",
          sinceMs: receiver.since,
          state: receiver.host
        })
      )
    )

  return (nowMs: number) =>
    Effect.map(Effect.all([failures(nowMs), aboveHolds(nowMs), callbacks(nowMs)]), (some) => [
      ...circuits(nowMs),
      ...some.flat()
    ])
})

const requestsPage = (query: string) => `requests?${new URLSearchParams({ range: "24h", q: query }).toString()}`

/** `hooks.example.com: 3 callbacks failed for good, 2 wait for another try, the next at 2026-01-31 12:00 UTC`. */
const stuckText = ({ host, lost, next_at: nextAt, retried }: StuckReceiver): string => {
  const counted = (count: number) => `${count} callback${count === 1 ? "" : "s"}`
  const next = nextAt === null ? "" : `, the next at ${utcText(nextAt)}`
  const waits = `${lost > 0 ? retried : counted(retried)} wait${retried === 1 ? "s" : ""} for another try${next}`
  return `${host}: ${[...(lost > 0 ? [`${counted(lost)} failed for good`] : []), ...(retried > 0 ? [waits] : [])].join(
    ", "
  )}`
}
