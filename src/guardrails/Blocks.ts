import { Context } from "effect"
import type { Question } from "./askHook.ts"

/** A request or an answer that a guardrail blocked. */
export interface Block extends Omit<Question, "texts" | "placeholders"> {
  readonly guardrail: string
  /** The guardrail's word for operators. */
  readonly reason: string | undefined
}

/** Keeps what guardrails blocked. A plain call that never waits and never fails. */
export interface Blocks {
  readonly blocked: (block: Block) => void
}

/** Keeps nothing by default. */
export const Blocks = Context.Reference<Blocks>()("gateway/guardrails/Blocks", {
  defaultValue: (): Blocks => ({ blocked: () => {} })
})
