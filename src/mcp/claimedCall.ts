import { Clock, Duration, Effect, Schema } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { CallRows } from "../tools/CallRows.ts"
import type { McpEnd } from "./McpClient.ts"
import type { McpError } from "./McpFailure.ts"

/** The part of an end that the model and the client get. */
export type ClaimedEnd = Pick<McpEnd, "parts" | "error">

interface Claiming {
  readonly rows: typeof CallRows.Service
  readonly caller: Pick<Caller, "account" | "key" | "person">
  readonly requestId: string
  /** The server's name in rows, and its name of the tool. */
  readonly server: string
  readonly tool: string
  /** The most time that a call takes. */
  readonly callMs: number
  /** Its id, and that of the approval. */
  readonly call: { readonly id: string; readonly approval: string }
  /** Makes the call. */
  readonly made: Effect.Effect<McpEnd>
}

/**
 * Makes a call that the caller has approved, unless another request with the same approval has: then its end is taken,
 * also from another node, and also if that request failed afterwards.
 */
export const claimedCall = (claiming: Claiming): Effect.Effect<ClaimedEnd> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { call, caller, callMs, made, requestId, rows, server, tool } = claiming
      const atMs = yield* Clock.currentTimeMillis
      const { account, key, person } = caller
      const approval = claimOf(call.approval)
      const leaving = { id: call.id, atMs, requestId, account, key, person: person?.id, server, tool, approval }
      const ended = (durationMs: number, { outcome, receivedBytes, sentBytes }: Ended, result?: ClaimedEnd) =>
        rows.end(call.id, { outcome, durationMs, sentBytes, receivedBytes, costNanoUsd: 0 }, result)
      const cancelled = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        ended(nowMs - atMs, { outcome: "cancelled", sentBytes: 0, receivedBytes: 0 })
      )
      // Without the row the call could be made twice, so that it is not made.
      const claim = Effect.orDie(rows.claim(leaving, callMs))
      const earlier = yield* Effect.onInterrupt(restore(claim), () => cancelled)
      if (earlier !== undefined) return endOf(earlier.result)
      const [took, end] = yield* Effect.onInterrupt(restore(Effect.timed(made)), () => cancelled)
      const { error, parts } = end
      yield* ended(Duration.toMillis(took), end, { parts, ...(error !== undefined && { error }) })
      return end
    })
  )

interface Ended extends Pick<McpEnd, "sentBytes" | "receivedBytes"> {
  readonly outcome: McpEnd["outcome"] | "cancelled"
}

/** The claim of an approval. An id that a caller made may be any text. */
export const claimOf = (id: string): string =>
  /^mcpr_[0-9a-z]{1,100}$/.test(id) ? id : `sha256_${new Bun.CryptoHasher("sha256").update(id).digest("hex")}`

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
const Picture = Schema.Struct({
  type: Schema.Literal("image"),
  source: Schema.Struct({ type: Schema.Literal("base64"), mediaType: Schema.String, data: Schema.String }),
  detail: Schema.Literal("auto")
})
const StoredEnd = Schema.Struct({
  parts: Schema.Array(Schema.Union(Text, Picture)),
  error: Schema.optionalWith(
    Schema.Union(
      Schema.Struct({
        type: Schema.Literal("mcp_protocol_error", "http_error"),
        code: Schema.Number,
        message: Schema.String
      }),
      Schema.Struct({ type: Schema.Literal("mcp_tool_execution_error"), content: Schema.Array(Text) })
    ),
    { exact: true }
  )
})
const isStoredEnd = Schema.is(StoredEnd)

/** The end of the earlier call. If none is known, the call may have taken effect. */
const endOf = (result: unknown): ClaimedEnd => (isStoredEnd(result) ? result : unknownEnd)

const unknownWords =
  "This call was made before with the same approval. How it ended is not known: it may have taken effect."
const unknownError: McpError = { type: "mcp_tool_execution_error", content: [{ type: "text", text: unknownWords }] }
const unknownEnd: ClaimedEnd = { parts: [{ type: "text", text: unknownWords }], error: unknownError }
