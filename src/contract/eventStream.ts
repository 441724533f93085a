interface Told {
  /** Which events come, and in which order. */
  readonly description: string
  /** What an event's data is. */
  readonly data: string
  /** What an event's name is; absent where they have none. */
  readonly event?: string
}

/** The schema of a stream: OpenAPI 3.1 has it say what one of its events is. */
export const eventStream = ({ data, description, event }: Told) => ({
  schema: {
    type: "object" as const,
    description,
    properties: {
      ...(event === undefined ? {} : { event: { type: "string" as const, description: event } }),
      data: { type: "string" as const, description: data }
    },
    required: event === undefined ? ["data"] : ["event", "data"]
  }
})
