import type { JsonObject } from "../../contract/fields.ts"
import type { GenerateOptions } from "../Upstream.ts"

/** What of a dialect the gateway must look at when requests and answers in it pass through. */
export interface Dialect {
  readonly family: "messages" | "responses"
  /** The caller's headers that belong to the dialect, lower case. */
  readonly headers: ReadonlyArray<string>
  /** The caller's body as the upstream gets it. */
  readonly body: (body: JsonObject, options: GenerateOptions) => JsonObject
  /** Whether a frame must be parsed: it names things, ends the answer, or counts. All others go through as text. */
  readonly concerns: (event: string, data: string) => boolean
  /** Where a frame holds the answer object; undefined where it holds none. */
  readonly answerIn: string
}
