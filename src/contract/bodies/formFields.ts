import { Schema } from "effect"

/** An integer of JSON, which a form has as text. */
export const integerOrText = (minimum: number, maximum: number, description: string) =>
  Schema.Union(Schema.String, Schema.Number).pipe(
    Schema.filter(
      (value) => /^-?\d{1,15}$/.test(String(value)) && Number(value) >= minimum && Number(value) <= maximum,
      {
        description,
        jsonSchema: {
          anyOf: [
            { type: "integer", minimum, maximum },
            { type: "string", pattern: "^-?\\d{1,15}$" }
          ]
        }
      }
    )
  )

/** A boolean of JSON, which a form has as text. */
export const Flag = Schema.Union(Schema.Boolean, Schema.Literal("true", "false"))
