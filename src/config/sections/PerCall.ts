import { Schema } from "effect"
import { hostedCalls } from "../../contract/records/HostedCall.ts"
import { Usd } from "./values.ts"

const CallPrice = Schema.Union(Usd, Schema.Struct({ usd: Usd, once: Schema.optional(Schema.Boolean) }))

/** The prices of tools that providers run. */
export const PerCall = Schema.partial(Schema.Record({ key: Schema.Literal(...hostedCalls), value: CallPrice }))
