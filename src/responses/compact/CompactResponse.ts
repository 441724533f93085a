import { Schema } from "effect"
import { answerField } from "../../contract/fields.ts"
import { CountInputTokens } from "../CreateResponse.ts"
import { InputItem } from "../InputItem.ts"
import { Usage } from "../ResponseObject.ts"

const { instructions, input, model, previous_response_id } = CountInputTokens.fields

/** The body of POST /v1/responses/compact. */
export const CompactResponse = Schema.Struct({ model, input, instructions, previous_response_id }).annotations({
  identifier: "ResponsesCompact",
  examples: [{ model: "sandbox-text", input: "Hello!" }]
})
export type CompactResponse = typeof CompactResponse.Type

/** A compacted conversation (docs/api.md#compaction). */
export const Compacted = Schema.Struct({
  id: answerField(Schema.String, "Id of the compaction; nothing is stored under it."),
  object: Schema.Literal("response.compaction"),
  created_at: Schema.Int.annotations({ description: "Unix seconds." }),
  output: answerField(
    Schema.Array(InputItem),
    "The user's messages and a `compaction` item, which holds the rest: the input of the next request."
  ),
  usage: answerField(Usage, "Tokens used for the summary.")
}).annotations({ identifier: "ResponsesCompacted" })
export type Compacted = typeof Compacted.Type
