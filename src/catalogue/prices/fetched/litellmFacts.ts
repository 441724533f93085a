import type { JsonObject } from "../../../contract/fields.ts"
import { dayOf, effortsOf, knownFacts, modalitiesOf, reasoningEfforts } from "../../../contract/records/ModelFacts.ts"
import type { ModelFacts, Modality } from "../../../contract/records/ModelFacts.ts"

/** The facts of a row of LiteLLM's list. It has no windows: its longest input is the window, or what the output leaves. */
export const litellmFacts = (row: JsonObject): ModelFacts =>
  knownFacts({
    max_input_tokens: row["max_input_tokens"],
    max_output_tokens: row["max_output_tokens"],
    inputs: inputsOf(row),
    outputs: modalitiesOf(row["supported_output_modalities"]),
    tools: row["supports_function_calling"],
    thinking: row["supports_reasoning"],
    efforts: rowEfforts(row),
    structured_output: row["supports_response_schema"],
    caching: row["supports_prompt_caching"],
    retires: typeof row["deprecation_date"] === "string" ? dayOf(row["deprecation_date"]) : undefined
  })

const inputFields: ReadonlyArray<readonly [string, Modality]> = [
  ["supports_vision", "image"],
  ["supports_audio_input", "audio"],
  ["supports_video_input", "video"],
  ["supports_pdf_input", "file"]
]

/** Undefined for a row that says nothing of pictures: most rows leave out what they don't know. */
const inputsOf = (row: JsonObject): ReadonlyArray<Modality> | undefined => {
  const listed = modalitiesOf(row["supported_modalities"])
  if (listed === undefined && typeof row["supports_vision"] !== "boolean") return undefined
  const added = inputFields.flatMap(([field, modality]) => (row[field] === true ? [modality] : []))
  return modalitiesOf(["text", ...(listed ?? []), ...added])
}

const usualEfforts: ReadonlySet<string> = new Set(["low", "medium", "high"])

/** Undefined for a row that names none: those of `low`, `medium` and `high` that it does not name are usual. */
const rowEfforts = (row: JsonObject) => {
  const named = effortsOf(row["reasoning_effort_levels"])
  if (named !== undefined || row["supports_reasoning"] !== true) return named
  const said = (effort: string) => row[`supports_${effort}_reasoning_effort`]
  if (!reasoningEfforts.some((effort) => typeof said(effort) === "boolean")) return undefined
  return reasoningEfforts.filter((effort) => said(effort) ?? usualEfforts.has(effort))
}
