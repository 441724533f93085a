/** A request of a case, as a system wants it. */
export interface Ask {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  /** How its stream ends, where that is not with `message_stop` or `[DONE]`. */
  readonly end?: string
}

/** What a case is called in the table, the same for all who have it. */
export type Whole =
  | "messages passed through"
  | "chat passed through"
  | "messages to a chat upstream"
  | "responses, unstored"
  | "responses, stored"
export type Streamed = "messages passed through" | "chat passed through" | "messages to a chat upstream"

export type Dialect = "messages" | "chat" | "responses"

/** What the upstream speaks in a case. */
export const dialectOf = (what: Whole | Streamed): Dialect =>
  what === "messages passed through" ? "messages" : what.startsWith("responses") ? "responses" : "chat"

/** A gateway, or a bare proxy, that can be measured. */
export interface System {
  readonly name: string
  /** As it says itself, or as its variable says. */
  readonly version: string
  readonly settings: string
  /** Which of the gateway's duties it leaves out. */
  readonly lacks: string
  /** How it is started on a port of 127.0.0.1, with an empty folder of its own. */
  readonly start: (at: { readonly port: number; readonly folder: string; readonly upstream: string }) => Start
  /** Not more than a minute where it says nothing. */
  readonly startsWithinMs?: number
  /** What answers with a 200 once it wants requests, where that is later than its first answer. */
  readonly ready?: string
  readonly wholes: Partial<Readonly<Record<Whole, Ask>>>
  readonly streams: Partial<Readonly<Record<Streamed, (model: string) => Ask>>>
}

/** The cases of a system, each with its request. */
export const casesOf = <Name extends string, A>(cases: Partial<Readonly<Record<Name, A>>>): ReadonlyArray<[Name, A]> =>
  Object.entries(cases) as Array<[Name, A]>

export interface Start {
  readonly command: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

/** What the upstream answers whole to, and how long its streams are. */
export const wholeModel = "json-1000"
export const shortStream = "paced-20"
export const longStream = { model: "paced-100", events: 100 }
export const streamModels = [shortStream, longStream.model] as const

const question = "Say something of this length. ".repeat(36).trim()
const messages = [{ role: "user", content: question }]

/** Requests of about 1.2 KB in each dialect. */
export const bodies = {
  message: (model: string) => ({ model, max_tokens: 1000, messages }),
  chat: (model: string) => ({ model, messages }),
  response: (model: string) => ({ model, input: question }),
  messageStream: (model: string) => ({ model, max_tokens: 1000, messages, stream: true }),
  chatStream: (model: string) => ({ model, messages, stream: true, stream_options: { include_usage: true } })
}

/** What the upstream itself is sent, and a proxy that has nothing to translate. */
export const wholeBodies = {
  messages: bodies.message(wholeModel),
  chat: bodies.chat(wholeModel),
  responses: bodies.response(wholeModel)
}
export const paths = { messages: "/v1/messages", chat: "/v1/chat/completions", responses: "/v1/responses" }
