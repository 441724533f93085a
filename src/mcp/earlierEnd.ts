import { Schema } from "effect"
import type { McpEnd } from "./McpClient.ts"
import type { McpError } from "./McpFailure.ts"

/** The part of an end that the model and the client get. */
export type ClaimedEnd = Pick<McpEnd, "parts" | "error">

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
  /** The call (`digestOf`). */
  of: Schema.String,
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

/** A call, as an approval is for it alone: an id that a caller made may stand for several. */
interface ApprovedFor {
  readonly person: string | undefined
  readonly server: string
  readonly tool: string
  readonly arguments: string
}

/** An end as it is stored for those who come with the same approval. */
export const claimedEnd = (call: ApprovedFor, { error, parts }: ClaimedEnd): ClaimedEnd & { readonly of: string } => ({
  of: digestOf(call),
  parts,
  ...(error !== undefined && { error })
})

/** The end of the call that used up an approval. If none is known, the call may have taken effect. */
export const earlierEnd = (call: ApprovedFor, result: unknown): ClaimedEnd => {
  if (!isStoredEnd(result)) return unknownEnd
  const { of, ...end } = result
  return of === digestOf(call) ? end : anothersEnd
}

const digestOf = ({ arguments: text, person = "", server, tool }: ApprovedFor): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify([person, server, tool, text])).digest("hex")

const told = (text: string): ClaimedEnd => {
  const content = [{ type: "text", text }] as const
  const error: McpError = { type: "mcp_tool_execution_error", content }
  return { parts: content, error }
}
const unknownEnd = told(
  "This call was made before with the same approval. How it ended is not known: it may have taken effect."
)
const anothersEnd = told("This call was not made: its approval was used up by another call.")
