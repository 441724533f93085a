/** Requests that together have every optional field within the contracts' objects. */
export interface NestedSamples {
  readonly path: string
  readonly own: string
  /** The body's schema in the OpenAPI document. */
  readonly schema: string
  readonly samples: ReadonlyArray<object>
  /** Fields, by object, that say nothing to a model. */
  readonly neutral: ReadonlyArray<string>
}

export const said = { role: "user", content: "play:text" }
export const parameters = { type: "object", properties: {}, required: [], additionalProperties: false }
export const schema = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false
}
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
export const text = "SGVsbG8="
export const place = { type: "approximate", city: "Berlin", region: "BE", country: "DE", timezone: "Europe/Berlin" }
export const cache_control = { type: "ephemeral" }

export const textBlock = { type: "text", text: "play:text", cache_control }
