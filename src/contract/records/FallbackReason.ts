import { Schema } from "effect"

/**
 * The reason that another model answers a request: its input exceeds the model's context, a content policy refused it
 * before the first token, or every route failed.
 */
export const FallbackReason = Schema.Literal("too_long", "refused", "failed")
export type FallbackReason = typeof FallbackReason.Type

/** Other models by reason, in the order in which they are asked. */
export type Fallbacks = { readonly [reason in FallbackReason]?: ReadonlyArray<string> }
