import { Effect } from "effect"
import { DeliveryList } from "../../callbacks/store/DeliveryList.ts"
import type { StuckReceiver } from "../../callbacks/store/DeliveryList.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import { showUsd } from "../../contract/text/showUsd.ts"
import { visible } from "../../contract/text/visible.ts"
import { failureKind, isFailedCall } from "../../contract/records/CallOutcome.ts"
import { outcomeOfStored } from "../../requests/attemptCounts.ts"
import { GroupCounts } from "../../requests/store/GroupCounts.ts"
import { Bulkheads } from "../../routing/Bulkhead.ts"
import { upstreamOfPart } from "../../routing/Route.ts"
import { UpstreamCalls } from "../../routing/UpstreamCalls.ts"
import { Troubles } from "../store/Troubles.ts"
import { failedCallsText } from "./failedCalls.ts"
import { andMore, problem, utcText } from "./Problem.ts"
import type { Problem } from "./Problem.ts"

const hourMs = 3_600_000
/** Failures are reported from this many calls and this error rate on. */
const minCalls = 20
const minErrorRate = 0.2
/** So many calls that failed behind others are reported, at that rate. */
const minHidden = 5
/** The most requests that are read for the commonest error. */
const mostSeen = 5_000
const minuteMs = 60_000
/** The last of eight tries comes a day after the change, a `Retry-After` may add another; it is reported for a third. */
const callbacksMs = 72 * hourMs

/** A receiver that failed this often has been away for two minutes. */
const failedTries = 4

/** Costs above holds are reported from this sum a day on, in nano-dollars. */
const leastAboveHolds = 10_000_000

/** Upstreams that fail, cost more than was held, answer at an unexpected tier or refuse fields, and stuck callbacks. */
export const makeTrafficProblems = Effect.gen(function* () {
  const troubles = yield* Troubles
  const listed = yield* DeliveryList
  const bulkheads = yield* Bulkheads
  const catalogue = yield* Catalogue
  const calls = yield* UpstreamCalls
  const counts = yield* GroupCounts

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

  /** `: 12 of 20 calls in the last minute failed, most with 503`; empty if this process made none. */
  const lastMinuteOf = (name: string, nowMs: number) => {
    const minute = calls.of(name).lastMinute.summary
    if (minute === undefined || minute.failed === 0) return ""
    const isNow = nowMs - minute.untilMs < minuteMs
    return `: ${failedCallsText(minute, isNow ? "in the last minute" : `in the minute before ${utcText(minute.untilMs)}`)}`
  }

  const circuits = (nowMs: number) =>
    [...bulkheads].flatMap(([part, { circuit }]) => {
      if (circuit.state(nowMs) === "closed") return []
      const name = upstreamOfPart(part)
      const waitSeconds = Math.ceil(circuit.waitMs(nowMs) / 1_000)
      const next = waitSeconds > 0 ? `gets no calls for ${waitSeconds} s` : "gets one call that tests it"
      const message = `${name} fails${lastMinuteOf(name, nowMs)}; it ${next}${behindOthers(name)}`
      return [upstream(name, "error", message, requestsPage(`attempt:${name}`))]
    })

  /** How the calls of these upstreams failed, by upstream, from some of the requests. */
  const kindsOf = (names: ReadonlyArray<string>, requests: number, span: { fromMs: number; toMs: number }) =>
    Effect.gen(function* () {
      const kinds = new Map(names.map((name) => [name, new Map<string, number>()]))
      if (names.length === 0) return kinds
      yield* counts.eachAttempt(span, { most: mostSeen, requests }, (attempt) => {
        const [of, outcome] = [kinds.get(attempt.upstream), outcomeOfStored(attempt)]
        const kind = failureKind(outcome, attempt.status)
        if (of !== undefined && isFailedCall(outcome)) of.set(kind, (of.get(kind) ?? 0) + 1)
      })
      return kinds
    })

  const failures = (nowMs: number) => {
    const sinceMs = nowMs - (nowMs % hourMs) - hourMs
    return Effect.gen(function* () {
      const all = yield* troubles.recentCalls(sinceMs)
      const sick = all.filter(
        ({ calls, failed, hidden }) => (calls >= minCalls || hidden >= minHidden) && failed / calls >= minErrorRate
      )
      const requests = all.reduce((sum, { calls }) => sum + calls, 0)
      const names = sick.map(({ upstream }) => upstream)
      const kinds = yield* kindsOf(names, requests, { fromMs: sinceMs, toMs: nowMs + 1 })
      return sick.map(({ hidden, upstream: name, ...sums }) => {
        const failed = failedCallsText({ ...sums, kinds: kinds.get(name) ?? none }, `since ${utcText(sinceMs)}`)
        const answered = hidden < sums.failed ? `for ${hidden} of them` : "for it"
        const behind = hidden === 0 ? "" : `; other routes answered ${answered}`
        return upstream(name, "warning", `${name}: ${failed}${behind}`, requestsPage(`attempt:${name}`), sinceMs)
      })
    })
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

  const priceGaps = (nowMs: number) => {
    const sinceMs = nowMs - (nowMs % hourMs) - 23 * hourMs
    return Effect.map(troubles.priceGaps(sinceMs), (rows) =>
      rows.map(({ first_at, gap, model, upstream }) =>
        problem({
          what: "upstream",
          id: upstream,
          message: `${model} at ${upstream}: ${visible(gap)} has no price, and is charged at the dearest known price`,
          action: "Give it a price in the model's `price`, and see its requests (`price_gap`).",
          page: requestsPage(`upstream:${upstream} model:${model}`),
          sinceMs: first_at,
          state: `price_gap ${model} ${gap}`
        })
      )
    )
  }

  /** Tiers at which upstreams answered unasked, so that the first requests held too little. */
  const tiers = (nowMs: number) => {
    const seen = Map.groupBy(calls.tiers.all(nowMs), ({ tier, upstream }) => `${upstream}\n${tier}`)
    return [...seen.values()].flatMap((all) => {
      const [first] = all
      if (first === undefined) return []
      const { tier, upstream: name } = first
      return [
        problem({
          what: "upstream",
          id: name,
          message: `${name} answers ${andMore([...new Set(all.map(({ model }) => model))])} at the tier "${tier}", which no request named`,
          action: `Its project has another tier than the standard one. Set \`upstreams.${name}.default_service_tier: ${tier}\`, so that holds and quotes assume it from the first request on.`,
          page: requestsPage(`upstream:${name}`),
          sinceMs: Math.min(...all.map(({ sinceMs }) => sinceMs)),
          state: `tier ${tier}`
        })
      ]
    })
  }

  /** Fields that upstreams refused although the gateway sends them there: its tables are behind, or callers made them up. */
  const refusals = (nowMs: number) => {
    const seen = Map.groupBy(calls.refusals.all(nowMs), ({ path, upstream }) => `${upstream}\n${path}`)
    return [...seen.values()].flatMap((all) => {
      const [first] = all
      if (first === undefined) return []
      const { path, upstream: name, words } = first
      return [
        problem({
          what: "upstream",
          id: name,
          message: `${name} refuses ${visible(path)} for ${andMore([...new Set(all.map(({ model }) => model))])}: "${visible(words)}"`,
          action:
            "If no caller made the field up, the gateway's table of places is behind: update the gateway, or report " +
            "these words. An optional field is left out of a second try, and named in `x-gateway-adapted`.",
          page: requestsPage(`upstream:${name}`),
          sinceMs: Math.min(...all.map(({ sinceMs }) => sinceMs)),
          state: `refuses ${path}`,
          isProposal: true
        })
      ]
    })
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
    Effect.map(Effect.all([failures(nowMs), aboveHolds(nowMs), priceGaps(nowMs), callbacks(nowMs)]), (some) => [
      ...circuits(nowMs),
      ...tiers(nowMs),
      ...refusals(nowMs),
      ...some.flat()
    ])
})

const none: ReadonlyMap<string, number> = new Map()

const requestsPage = (query: string) => `requests?${new URLSearchParams({ range: "24h", q: query }).toString()}`

/** `hooks.example.com: 3 callbacks failed for good, 2 wait for another try, the next at 2026-01-31 12:00 UTC`. */
const stuckText = ({ host, lost, next_at: nextAt, retried }: StuckReceiver): string => {
  const countText = (count: number) => `${count} callback${count === 1 ? "" : "s"}`
  const next = nextAt === null ? "" : `, the next at ${utcText(nextAt)}`
  const waits = `${lost > 0 ? retried : countText(retried)} wait${retried === 1 ? "s" : ""} for another try${next}`
  return `${host}: ${[
    ...(lost > 0 ? [`${countText(lost)} failed for good`] : []),
    ...(retried > 0 ? [waits] : [])
  ].join(", ")}`
}
