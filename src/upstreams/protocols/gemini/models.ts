import { firstMatch } from "../../../contract/text/firstMatch.ts"
import type { Effort } from "../reasoning.ts"

/** The features of a generation of models. */
export interface Traits {
  readonly thinking: ThinkingControl
  /** True if the model answers 400 to a turn whose first call has no thought signature. */
  readonly signs: boolean
  /** True if the result of a function may hold images and documents. */
  readonly richResults: boolean
  /** True if repetitions may be penalized. */
  readonly penalties: boolean
  /** The places that tell log probabilities of the answer's tokens. */
  readonly logprobs: "everywhere" | "Vertex" | "nowhere"
  /** True if functions may stand beside an answer's format and beside Google's search. */
  readonly mixesTools: boolean
}

/** The form in which thinking is requested. */
export type ThinkingControl =
  | { readonly by: "nothing" }
  /** Tokens. If it is optional, 0 turns it off. */
  | { readonly by: "budget"; readonly least: number; readonly most: number; readonly isOptional: boolean }
  /** A level, weakest first. It cannot be turned off. */
  | { readonly by: "level"; readonly levels: ReadonlyArray<Effort> }

const older = { signs: false, richResults: false, mixesTools: false, penalties: false, logprobs: "Vertex" } as const
const current = { signs: true, richResults: true, mixesTools: true, penalties: false, logprobs: "nowhere" } as const

const levels = (...levels: ReadonlyArray<Effort>): Traits => ({ ...current, thinking: { by: "level", levels } })

const budget = (least: number, most: number, isOptional: boolean): Traits => ({
  ...older,
  thinking: { by: "budget", least, most, isOptional }
})

const unthinking: Traits = { ...older, thinking: { by: "nothing" } }

/** Penalties and log probabilities are 400 at later ones ("Penalty is not enabled for …", "Logprobs is not enabled …"). */
const first: Traits = { ...unthinking, penalties: true, logprobs: "everywhere" }

/** The first match counts. Source: "Thinking" in Google's documentation of the API. */
const rows: ReadonlyArray<readonly [RegExp, Traits]> = [
  [/gemini-(1|2\.0)/, first],
  [/gemma|learnlm/, unthinking],
  [/gemini-2\.5-[a-z-]*(image|tts)/, { ...unthinking, logprobs: "nowhere" }],
  [/gemini-2\.5-flash-lite/, budget(512, 24_576, true)],
  [/gemini-2\.5-flash/, budget(1, 24_576, true)],
  [/gemini-2\.5/, budget(128, 32_768, false)],
  [/gemini-3-pro/, levels("low", "high")],
  [/gemini-3\.\d+-pro/, levels("low", "medium", "high")],
  [/gemini-3/, levels("minimal", "low", "medium", "high")],
  [/gemini-\d/, levels("minimal", "low", "medium", "high", "xhigh")]
]

/** Tuned models and aliases such as `gemini-flash-latest`. */
const other = levels("minimal", "low", "medium", "high")

export const traitsOf = (model: string): Traits => firstMatch(rows, model) ?? other
