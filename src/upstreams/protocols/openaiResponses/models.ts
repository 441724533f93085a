import { firstMatch } from "../../../contract/text/firstMatch.ts"
import type { Effort } from "../reasoning.ts"

/** The features of a generation of models. */
export interface Traits {
  /** The efforts of a reasoning model; empty for other models. */
  readonly efforts: ReadonlyArray<Effort>
  /** True if temperature and top_p may be set while it reasons. */
  readonly sampling: boolean
  /** True if its verbosity can be set. */
  readonly verbosity?: true
  /** True if it returns encrypted reasoning on request, for replay. */
  readonly encrypted: boolean
}

const reasons = (...efforts: ReadonlyArray<Effort>): Traits => ({
  efforts,
  sampling: false,
  encrypted: true,
  verbosity: true
})

/** The first match counts. Dated snapshots and prefixed ids match too. */
const rows: ReadonlyArray<readonly [RegExp, Traits]> = [
  [/gpt-5-chat/, { efforts: [], sampling: true, encrypted: false }],
  [/gpt-5-pro/, reasons("high")],
  [/gpt-5(\.\d+)?-chat/, reasons("medium")],
  [/gpt-5\.1-codex-max/, reasons("low", "medium", "high", "xhigh")],
  [/gpt-5\.1-codex/, reasons("low", "medium", "high")],
  [/gpt-5\.1/, reasons("none", "low", "medium", "high")],
  [/gpt-5\.\d+-codex/, reasons("low", "medium", "high", "xhigh")],
  [/gpt-5\.[2-5](?!\d)/, reasons("none", "low", "medium", "high", "xhigh")],
  [/gpt-5\.\d|gpt-[6-9]/, reasons("none", "low", "medium", "high", "xhigh", "max")],
  [/gpt-5/, reasons("minimal", "low", "medium", "high")],
  [/(^|\/)o\d|codex/, { efforts: ["low", "medium", "high"], sampling: false, encrypted: true }],
  [/gpt-|chatgpt/, { efforts: [], sampling: true, encrypted: false }]
]

/** Servers of the dialect with models of their own. */
const other: Traits = { efforts: ["low", "medium", "high"], sampling: true, encrypted: false }

export const traitsOf = (model: string): Traits => firstMatch(rows, model) ?? other
