import { EventStreamCodec } from "@smithy/core/event-streams"

const codec = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes as Uint8Array),
  (text) => new TextEncoder().encode(text)
)

/** One message of an event stream, written by AWS's own encoder. */
export const awsMessage = (headers: Readonly<Record<string, string>>, payload: string | Uint8Array): Uint8Array =>
  codec.encode({
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, { type: "string" as const, value }])
    ),
    body: typeof payload === "string" ? new TextEncoder().encode(payload) : payload
  })

export const awsEvent = (name: string, payload: unknown): Uint8Array =>
  awsMessage(
    { ":event-type": name, ":content-type": "application/json", ":message-type": "event" },
    JSON.stringify(payload)
  )

export const awsException = (name: string, message: string): Uint8Array =>
  awsMessage(
    { ":exception-type": name, ":content-type": "application/json", ":message-type": "exception" },
    JSON.stringify({ message })
  )
