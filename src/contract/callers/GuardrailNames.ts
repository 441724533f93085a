import { Schema } from "effect"

/** True for the name of a guardrail. */
export const isGuardrailName = (text: string): boolean => /^[a-z0-9_-]{1,64}$/.test(text)

const GuardrailName = Schema.String.pipe(
  Schema.filter(isGuardrailName, {
    message: () => "expected a name of up to 64 of a-z, 0-9, - and _",
    description: "a name of a guardrail",
    jsonSchema: { type: "string", pattern: "^[a-z0-9_-]{1,64}$" }
  })
)

/** The guardrails of a key, an account or a model: 1 to 10. */
export const GuardrailNames = Schema.Array(GuardrailName).pipe(Schema.minItems(1), Schema.maxItems(10))
