interface StreamDescription {
  /** The events and their order. */
  readonly description: string
  /** An event's `data`. */
  readonly data: string
  /** An event's name; absent for unnamed events. */
  readonly event?: string
}

/** The OpenAPI 3.1 schema of a stream, which describes one event. */
export const eventStream = ({ data, description, event }: StreamDescription) => ({
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
