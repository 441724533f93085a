import { Cause, Clock, Effect, Exit } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Incoming } from "../contract/handlers.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { CallRows } from "../tools/CallRows.ts"
import type { CallEnd, LeavingCall } from "../tools/store/toolCalls.ts"
import { claimedCall, claimOf } from "./claimedCall.ts"
import type { ClaimedEnd } from "./claimedCall.ts"
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
  /** The most time of the call, in ms. */
  readonly callMs: number
}

/** The end of a call; that of an earlier one has no outcome of its own. */
export interface RecordedEnd extends ClaimedEnd, Partial<Pick<McpEnd, "outcome" | "result" | "failure">> {}

/** The one way in which tools are called: with a row before and after, its metrics, its span, and a line in the log. */
export const makeRecordedCalls = Effect.gen(function* () {
  const rows = yield* CallRows
  const { toolCalls, toolCallSeconds } = yield* Metrics

  /** Runs a call, unless its approval is used up: then its end is that of the call that used it. */
  const recorded = (
    calling: CallingRequest,
    call: RecordedCall,
    run: Effect.Effect<McpEnd>
  ): Effect.Effect<RecordedEnd> => {
    const { caller, request } = calling
    const { approval, callMs, id, server, tool } = call
    if (approval === undefined) return once(calling, call, run)
    const made = watched(calling, call, run, () => Effect.void)
    return claimedCall({ rows, caller, requestId: request.id, server, tool, callMs, call: { id, approval }, made })
  }

  const once = (calling: CallingRequest, call: RecordedCall, run: Effect.Effect<McpEnd>): Effect.Effect<RecordedEnd> =>
    Effect.flatMap(Clock.currentTimeMillis, (atMs) =>
      Effect.matchEffect(rows.begin(leavingCall(calling, call, atMs)), {
        onFailure: (error) =>
          Effect.as(Effect.logError("a call of a tool can't be stored, and is not made", error), notStored),
        onSuccess: () => watched(calling, call, run, (end) => rows.end(call.id, { ...end, costNanoUsd: 0 }))
      })
    )

  /** Runs a call with all but its row. */
  const watched = (
    calling: CallingRequest,
    call: RecordedCall,
    run: Effect.Effect<McpEnd>,
    store: (end: Omit<CallEnd, "costNanoUsd">) => Effect.Effect<void>
  ): Effect.Effect<McpEnd> =>
    Effect.suspend(() => {
      const begunAt = performance.now()
      const span = calling.request.trace?.callTool(call)
      return Effect.onExit(run, (exit) => {
        const end = { ...endOf(exit), durationMs: performance.now() - begunAt }
        span?.end(end.outcome)
        return Effect.zipRight(store(end), told(calling, call, end))
      })
    })

  /** Neither arguments nor results are told, nor what the server says. */
  const told = ({ request }: CallingRequest, call: RecordedCall, end: Omit<CallEnd, "costNanoUsd">) => {
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
    return (outcome === "completed" ? Effect.logDebug : Effect.logWarning)("a call of a tool ended").pipe(
      Effect.annotateLogs({
        event: "tool.call",
        request_id: request.id,
        server,
        tool,
        outcome,
        duration_ms: ms,
        sent_bytes: sentBytes,
        received_bytes: receivedBytes
      })
    )
  }

  return { recorded } as const
})

export interface RecordedCalls extends Effect.Effect.Success<typeof makeRecordedCalls> {}

const leavingCall = ({ caller, request }: CallingRequest, call: RecordedCall, atMs: number): LeavingCall => ({
  id: call.id,
  atMs,
  requestId: request.id,
  account: caller.account,
  key: caller.key,
  person: caller.person?.id,
  server: call.server,
  tool: call.tool
})

const endOf = (exit: Exit.Exit<McpEnd>): Omit<CallEnd, "costNanoUsd" | "durationMs"> =>
  Exit.match(exit, {
    onSuccess: ({ outcome, receivedBytes, sentBytes }) => ({ outcome, receivedBytes, sentBytes }),
    onFailure: (cause) => ({
      outcome: Cause.isInterruptedOnly(cause) ? "cancelled" : "unknown",
      receivedBytes: 0,
      sentBytes: 0
    })
  })

const unstoredWords =
  "The gateway can't store calls of tools at the moment, and did not make this one. Try again later."
const notStored: RecordedEnd = {
  outcome: "refused",
  parts: [{ type: "text", text: unstoredWords }],
  error: { type: "mcp_tool_execution_error", content: [{ type: "text", text: unstoredWords }] }
}
