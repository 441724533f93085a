import type { JsonObject } from "../../contract/fields.ts"
import type { FrameNames } from "../framing/WholeFrames.ts"
import type { GenerateOptions } from "../Upstream.ts"

/** What of a dialect the gateway must look at when requests and answers in it pass through. */
export interface Dialect {
  readonly family: "messages" | "responses"
  /** The caller's headers that belong to the dialect, lower case. */
  readonly headers: ReadonlyArray<string>
  /** The caller's body as the upstream gets it. */
  readonly body: (body: JsonObject, options: GenerateOptions) => JsonObject
  /**
   * The names of frames that may have to be parsed: those that name things, end the answer, or count, and `message`, as
   * which a frame without a name goes. All others go through as they are.
   */
  readonly names: FrameNames
  /** Whether such a frame must be. */
  readonly concerns: (event: string, data: string) => boolean
  /** An answer in one piece without what tells neither usage nor the end, so that it need not be looked through. */
  readonly account: (answer: JsonObject) => JsonObject
  /** Where a frame holds the answer object; undefined where it holds none. */
  readonly answerIn: string
}
