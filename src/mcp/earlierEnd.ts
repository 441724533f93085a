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

/** The end of the call that used up an approval. If none is known, the call may have taken effect. */
export const earlierEnd = (result: unknown): ClaimedEnd => (isStoredEnd(result) ? result : unknownEnd)

const unknownWords =
  "This call was made before with the same approval. How it ended is not known: it may have taken effect."
const unknownError: McpError = { type: "mcp_tool_execution_error", content: [{ type: "text", text: unknownWords }] }
const unknownEnd: ClaimedEnd = { parts: [{ type: "text", text: unknownWords }], error: unknownError }
