import type { Attention } from "../OverviewRecord.ts"

/** A problem with what to do about it, and the state that an alert tells once. */
export interface Problem extends Pick<Attention, "level" | "what" | "id" | "message" | "action" | "page"> {
  /** Since when it is known, in Unix ms. */
  readonly sinceMs?: number | undefined
  /** When it comes to pass if nothing changes, in Unix ms. */
  readonly dueAtMs?: number | undefined
  readonly name: string
  /** The names of states that it includes: they are not told, and not over while it lasts. */
  readonly lesser?: ReadonlyArray<string>
  readonly isAlert: boolean
}

interface ProblemFields extends Omit<Problem, "level" | "name" | "lesser" | "isAlert"> {
  readonly level?: Problem["level"]
  /** Distinguishes the states of one subject. */
  readonly state?: string
  /** The states that it includes. */
  readonly lesser?: ReadonlyArray<string>
  /** A proposal is shown and raises no alert. */
  readonly isProposal?: true
}

/** A problem with the names of its states. A warning unless said otherwise. */
export const problem = ({ isProposal, lesser = [], level = "warning", state, ...fields }: ProblemFields): Problem => {
  const { id, what } = fields
  const nameOf = (state?: string) => [what, id ?? "", ...(state === undefined ? [] : [state])].join(":")
  return {
    ...fields,
    level,
    name: nameOf(state),
    lesser: lesser.map(nameOf),
    isAlert: what !== "model" && isProposal !== true
  }
}

/** `gpt-5`, `gpt-5 and 2 more`. */
export const andMore = ([first = "", ...others]: ReadonlyArray<string>): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`

/** `2026-01-31 12:00 UTC`. */
export const utcText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`
