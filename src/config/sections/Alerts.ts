import { Schema } from "effect"
import { secretOf } from "../SecretFiles.ts"
import { optionalField, requiredField } from "./fields.ts"
import { HttpUrl } from "./values.ts"

/** A secret of Standard Webhooks: `whsec_` and the base64 of 24 to 64 bytes. */
export const WebhookSecret = secretOf(
  Schema.String.pipe(
    Schema.filter((text) => /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text), {
      message: () => "expected whsec_ followed by the base64 of 24 to 64 random bytes"
    })
  )
)

/** Shares of a balance from which its holder is about to run out. */
export const usualShares: ReadonlyArray<number> = [0.8, 1]

export const Alerts = Schema.Struct({
  url: requiredField(HttpUrl, "Gets a POST for each alert. It is yours, so it may be a private address."),
  secret: requiredField(WebhookSecret, "Signs them ([Standard Webhooks](https://www.standardwebhooks.com))."),
  budget_at: optionalField(
    Schema.Array(Schema.Number.pipe(Schema.greaterThan(0), Schema.lessThanOrEqualTo(1))).pipe(
      Schema.minItems(1),
      Schema.maxItems(10)
    ),
    "The used shares of a balance or a budget that raise an alert.",
    "`[0.8, 1]`"
  )
})
export type Alerts = typeof Alerts.Type
