import { HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { eventStream } from "../contract/eventStream.ts"

/** The answer of an endpoint that watches: server-sent events, for as long as its reader stays. */
export const EventsAnswer = Schema.String.pipe(
  HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/event-stream" })
)

/** @param events which come, and what they say */
export const watching = (summary: string, events: string) =>
  OpenApi.annotations({
    summary,
    description: events,
    transform: (operation) => {
      operation.responses[200].content["text/event-stream"] = eventStream({
        description: events,
        event: "The event's name.",
        data: "Its JSON."
      })
      return operation
    }
  })
