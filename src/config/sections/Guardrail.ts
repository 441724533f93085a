import { Schema } from "effect"
import { isGuardrailName } from "../../contract/callers/GuardrailNames.ts"
import { WebhookSecret } from "./Alerts.ts"
import { optionalField, requiredField } from "./fields.ts"
import { ProxySetting } from "./Proxy.ts"
import { ClientTls } from "./Upstream.ts"
import { HttpUrl } from "./values.ts"

/** An entry of `guardrails`: a webhook that looks at texts. */
export const Guardrail = Schema.Struct({
  url: requiredField(HttpUrl, "Gets a POST with the texts. It is yours, so it may be a private address."),
  secret: requiredField(WebhookSecret, "Signs them ([Standard Webhooks](https://www.standardwebhooks.com))."),
  on: optionalField(
    Schema.NonEmptyArray(Schema.Literal("input", "output")),
    "What it looks at: requests, answers or both.",
    "`[input, output]`"
  ),
  mode: optionalField(
    Schema.Literal("block", "redact", "observe"),
    "`block`: what it blocks or would replace is refused; `redact`: it may replace texts too; `observe`: its verdicts stand in the request's row and change nothing.",
    "`block`"
  ),
  fail: optionalField(
    Schema.Literal("open", "closed"),
    "If it does not answer in time, or answers what is no verdict: `closed` refuses, `open` goes on as if it had allowed.",
    "`closed`"
  ),
  timeout_seconds: optionalField(
    Schema.Number.pipe(Schema.positive(), Schema.lessThanOrEqualTo(60)),
    "The most time of a call.",
    "`5`"
  ),
  hold_ms: optionalField(
    Schema.Int.pipe(Schema.between(20, 60_000)),
    "The most time for which a text of a stream is held back; then `fail` decides.",
    "`2000`"
  ),
  proxy: optionalField(ProxySetting, "Like an upstream's ([proxies](#proxies)).", "the top level's"),
  tls: optionalField(ClientTls, "Like an upstream's.", "the usual authorities, no certificate")
})
export type GuardrailEntry = typeof Guardrail.Type

/** `guardrails`, by name. */
export const GuardrailEntries = Schema.Record({ key: Schema.String, value: Guardrail }).pipe(
  Schema.filter((entries) => {
    const wrong = Object.keys(entries).find((name) => !isGuardrailName(name))
    return wrong === undefined || { path: [wrong], message: "expected a name of up to 64 of a-z, 0-9, - and _" }
  })
)
