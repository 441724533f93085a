import { HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { eventStream } from "../contract/bodies/eventStream.ts"

/** The answer of a watch endpoint: an endless stream of server-sent events. */
export const EventsAnswer = Schema.String.pipe(
  HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/event-stream" })
)

/** @param events description of the events */
export const eventsAnnotations = (summary: string, events: string) =>
  OpenApi.annotations({
    summary,
    description: events,
    transform: (operation) => {
      operation.responses[200].content["text/event-stream"] = eventStream({
        description: events,
        event: "The event's name.",
        data: "The event as JSON."
      })
      return operation
    }
  })
