import { Cause, Clock, Effect, Either, Exit } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Incoming } from "../contract/handlers.ts"
import { tracedBy } from "../contract/records/Trace.ts"
import type { ApprovedCall } from "../generation/McpServerRequest.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { CallRows } from "../tools/CallRows.ts"
import type { CallEnd, LeavingCall } from "../tools/store/toolCalls.ts"
import type { Departure } from "./Connection.ts"
import { claimedEnd, claimOf, earlierEnd } from "./earlierEnd.ts"
import type { ClaimedEnd } from "./earlierEnd.ts"
import type { McpEnd } from "./McpClient.ts"

/** The request that calls a tool. */
export interface CallingRequest {
  readonly caller: Pick<Caller, "account" | "key" | "person">
  readonly request: Pick<Incoming, "id" | "record" | "trace">
}

/** A call of a server's tool. */
export interface RecordedCall extends Pick<LeavingCall, "id" | "server" | "tool"> {
  /** The approval that it uses up. */
  readonly approval?: string | undefined
  /** As JSON. */
  readonly arguments: string
  /** The most time of the call, in ms. */
  readonly callMs: number
  /** Its price in nano-dollars, which it costs once it has left. */
  readonly nanoUsd: number
  readonly departure: Departure
  readonly run: Effect.Effect<McpEnd>
}

/** The end of a call; that of an earlier one has no outcome of its own. */
export interface RecordedEnd extends ClaimedEnd, Partial<Pick<McpEnd, "outcome" | "result" | "failure">> {}

/** The one way in which tools are called: with a row before and after, its metrics, its span, and a line in the log. */
export const makeRecordedCalls = Effect.gen(function* () {
  const rows = yield* CallRows
  const { toolCalls, toolCallSeconds } = yield* Metrics

  /**
   * Runs a call, unless its approval is used up: then its end is that of the call that used it, also on another node, and
   * also if that request failed afterwards. Without its row a call could be made twice, so that it is not made.
   */
  const recorded = (calling: CallingRequest, call: RecordedCall): Effect.Effect<RecordedEnd> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const atMs = yield* Clock.currentTimeMillis
        const leaving = leavingCall(calling, call, atMs)
        const { approval, callMs, id } = call
        const stored =
          approval === undefined
            ? Effect.as(rows.begin(leaving), undefined)
            : rows.claim({ ...leaving, approval: claimOf(approval) }, callMs)
        const cancelled = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
          rows.end(id, {
            outcome: "cancelled",
            durationMs: nowMs - atMs,
            sentBytes: 0,
            receivedBytes: 0,
            costNanoUsd: 0
          })
        )
        const begun = yield* Effect.either(Effect.onInterrupt(restore(stored), () => cancelled))
        if (Either.isLeft(begun)) {
          yield* Effect.logError("a call of a tool can't be stored, and is not made", begun.left)
          return notStored
        }
        return begun.right === undefined
          ? yield* watched(calling, call, restore(call.run))
          : earlierEnd(approvedFor(calling, call), begun.right.result)
      })
    )

  /** Runs a call whose row has begun. */
  const watched = (calling: CallingRequest, call: RecordedCall, run: Effect.Effect<McpEnd>): Effect.Effect<McpEnd> =>
    Effect.suspend(() => {
      const begunAt = performance.now()
      const span = calling.request.trace?.callTool(call)
      return Effect.onExit(run, (exit) => {
        const costNanoUsd = call.departure.hasLeft ? call.nanoUsd : 0
        const end = { ...endOf(exit), durationMs: performance.now() - begunAt, costNanoUsd }
        span?.end(end.outcome)
        const isClaimed = call.approval !== undefined && Exit.isSuccess(exit)
        const result = isClaimed ? claimedEnd(approvedFor(calling, call), exit.value) : undefined
        return Effect.zipRight(rows.end(call.id, end, result), told(calling, call, end))
      })
    })

  /** Neither arguments nor results are told, nor what the server says. */
  const told = (
    { request }: CallingRequest,
    call: Pick<RecordedCall, "server" | "tool" | "approval">,
    end: CallEnd
  ) => {
    const { approval, server, tool } = call
    const { durationMs, outcome, receivedBytes, sentBytes } = end
    toolCalls.of(server, outcome).add(1)
    toolCallSeconds.of(server).observe(durationMs / 1_000)
    const ms = Math.round(durationMs)
    request.record?.calledTool({
      server,
      tool,
      ms,
      bytes: receivedBytes,
      outcome,
      ...(approval !== undefined && { approval: claimOf(approval) })
    })
    return (outcome === "completed" || outcome === "denied" ? Effect.logDebug : Effect.logWarning)(
      "a call of a tool ended"
    ).pipe(
      Effect.annotateLogs({
        event: "tool.call",
        request_id: request.id,
        server,
        tool,
        outcome,
        duration_ms: ms,
        sent_bytes: sentBytes,
        received_bytes: receivedBytes,
        ...tracedBy(request.trace)
      })
    )
  }

  /** Stores and tells a call that never leaves: its approval was denied, or it was refused. */
  const unsent = (
    calling: CallingRequest,
    call: Pick<RecordedCall, "id" | "server" | "tool">,
    outcome: "denied" | "refused"
  ): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (atMs) => {
      const end = { outcome, durationMs: 0, sentBytes: 0, receivedBytes: 0, costNanoUsd: 0 }
      return Effect.zipRight(rows.add(leavingCall(calling, call, atMs), end), told(calling, call, end))
    })

  return { recorded, unsent } as const
})

export interface RecordedCalls extends Effect.Effect.Success<typeof makeRecordedCalls> {}

/**
 * Records a call that the caller does not approve: once, however often its request runs.
 *
 * @param places the servers' names in the configuration, by their labels
 */
export const deniedBy =
  ({ unsent }: RecordedCalls, calling: CallingRequest, places: ReadonlyMap<string, string>) =>
  ({ id, server: label, tool }: ApprovedCall): Effect.Effect<void> => {
    const server = places.get(label)
    return server === undefined
      ? Effect.void
      : unsent(calling, { id: `${calling.request.id} ${id}`, server, tool }, "denied")
  }

const leavingCall = (
  { caller, request }: CallingRequest,
  call: Pick<RecordedCall, "id" | "server" | "tool">,
  atMs: number
): LeavingCall => ({
  id: call.id,
  atMs,
  requestId: request.id,
  account: caller.account,
  key: caller.key,
  person: caller.person?.id,
  server: call.server,
  tool: call.tool
})

const endOf = (exit: Exit.Exit<McpEnd>): Pick<CallEnd, "outcome" | "sentBytes" | "receivedBytes"> =>
  Exit.match(exit, {
    onSuccess: ({ outcome, receivedBytes, sentBytes }) => ({ outcome, receivedBytes, sentBytes }),
    onFailure: (cause) => ({
      outcome: Cause.isInterruptedOnly(cause) ? "cancelled" : "unknown",
      receivedBytes: 0,
      sentBytes: 0
    })
  })

const approvedFor = ({ caller }: CallingRequest, call: RecordedCall) => ({ ...call, person: caller.person?.id })

const unstoredWords =
  "The gateway can't store calls of tools at the moment, and did not make this one. Try again later."
const notStored: RecordedEnd = {
  outcome: "refused",
  parts: [{ type: "text", text: unstoredWords }],
  error: { type: "mcp_tool_execution_error", content: [{ type: "text", text: unstoredWords }] }
}
