import { Effect } from "effect"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { Charge } from "../ledger/Charge.ts"
import { costOf } from "../ledger/cost.ts"
import { sumOf, toolLines } from "../ledger/costLines.ts"
import type { GenerateOptions } from "../upstreams/Upstream.ts"
import type { ApprovedCalls } from "../tools/ApprovedCalls.ts"
import type { RequestTools } from "../tools/RequestTools.ts"
import type { Work } from "./Work.ts"

/** True if the conversation has tools that the gateway may run, so that its answer may take several rounds. */
export const callsServerTools = ({ tools }: Conversation): boolean => tools.some(({ type }) => type === "search")

/**
 * Raises the hold of a request before each further round of its answer, since each reads all of the conversation again.
 * One of several answers has its share of the hold and no more.
 */
export const extendHold = (
  work: Pick<Work, "answers" | "held" | "price">,
  charge: Charge
): GenerateOptions["extend"] => {
  if (work.answers > 1) return undefined
  const costly = (used: Usage, next?: Conversation) =>
    costOf(work.price, used) + sumOf(toolLines(used)) + (next === undefined ? 0 : work.held(work.price, next).nanoUsd)
  return (used, next) => charge.extend(() => costly(used, next))
}

/** Runs the calls that the caller has approved, if its money is enough for all of them. */
export const runApproved = (
  work: Work,
  charge: Charge,
  approved: ApprovedCalls,
  offered: RequestTools
): Effect.Effect<void, Failure> =>
  Effect.flatMap(extendHold(work, charge)?.(approved.mostUsage) ?? Effect.succeed(true), (isPaid) =>
    approved.run(isPaid, offered)
  )
