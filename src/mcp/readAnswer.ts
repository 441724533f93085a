import { Effect, Either } from "effect"
import { isObject, numberAt, parseJson, textAt } from "../contract/json/json.ts"
import { answerBounds } from "../contract/json/jsonBounds.ts"
import type { JsonBounds } from "../contract/json/jsonBounds.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Streamed } from "../guard/download.ts"
import { BrokenFrame } from "../upstreams/framing/Framing.ts"
import { sseParser } from "../upstreams/framing/sse.ts"
import { httpFailure, tooLarge, wrongAnswer } from "./McpFailure.ts"
import type { McpFailure } from "./McpFailure.ts"

/** The answer to a request. */
export type RpcAnswer =
  | { readonly type: "result"; readonly result: JsonObject; readonly bytes: number }
  | {
      readonly type: "error"
      readonly status: number
      readonly code: number
      readonly message: string
      readonly data: unknown
      /** The `WWW-Authenticate` header. */
      readonly challenge?: string | undefined
    }

/** A request that a server sends to its client. */
export interface ServerRequest {
  readonly id: string | number
  readonly method: string
}

interface Reading {
  /** The request's id. */
  readonly id: number
  /** The most bytes of the answer, everything in its stream included. */
  readonly maxBytes: number
  /** Answers a request that the server sends meanwhile. */
  readonly reply: (request: ServerRequest) => Effect.Effect<void, McpFailure>
}

/** The most requests of a server in one answer. */
const mostRequests = 20
/** The most of an error's body, in bytes. */
const errorBytes = 65_536

/** Schemas of any depth are read, so that one bad tool does not hide the others. */
const bounds: JsonBounds = { ...answerBounds, levels: 10_000, keys: 100_000, objects: 50_000, brackets: 200_000 }

/** Reads an answer to its JSON-RPC response: JSON, or a stream that is left as soon as the response has come. */
export const readAnswer = (answer: Streamed, reading: Reading): Effect.Effect<RpcAnswer, McpFailure> =>
  Effect.suspend(() => {
    const { status } = answer
    if (status >= 300 && status < 400) return Effect.fail(httpFailure(status, "it redirects, which is not followed"))
    const type = answer.header("content-type") ?? ""
    if (status < 200 || status > 299) return readError(answer, type)
    if (isType(type, "application/json")) {
      return Effect.flatMap(readText(answer, reading.maxBytes), ({ bytes, text }) =>
        Either.flatMap(messageOf(text), (message) => responseOf(message, reading.id, status, bytes) ?? notTheAnswer)
      )
    }
    if (isType(type, "text/event-stream")) return readStream(answer, reading)
    return Effect.fail(httpFailure(status, `it answers neither JSON nor an event stream`))
  })

const readStream = (answer: Streamed, { id, maxBytes, reply }: Reading) =>
  Effect.gen(function* () {
    const parser = sseParser(maxBytes)
    let bytes = 0
    let requests = 0
    for (;;) {
      const chunk = yield* next(answer)
      bytes += chunk?.length ?? 0
      if (bytes > maxBytes) return yield* tooLong(answer.status, maxBytes)
      const frames = yield* Effect.try({
        try: () => (chunk === undefined ? parser.end() : parser.push(chunk)),
        catch: (cause) =>
          cause instanceof BrokenFrame ? tooLong(answer.status, maxBytes) : wrongAnswer("a bad stream")
      })
      for (const { data } of frames) {
        // A server may begin with an event that has an id alone.
        if (data === "") continue
        const message = yield* messageOf(data)
        const response = responseOf(message, id, answer.status, bytes)
        if (response !== undefined) return yield* response
        const request = requestOf(message)
        if (request === undefined) continue
        if (++requests > mostRequests) return yield* wrongAnswer("it sends too many requests to its client")
        yield* reply(request)
      }
      if (chunk === undefined) return yield* httpFailure(answer.status, "it ended its stream without an answer")
    }
  })

/** An error's status, and the JSON-RPC error in its body if there is one. */
const readError = (answer: Streamed, type: string): Effect.Effect<RpcAnswer, McpFailure> => {
  const challenge = answer.header("www-authenticate")
  const plain = httpFailure(answer.status, `it answers ${answer.status}`, undefined, challenge)
  if (!isType(type, "application/json")) return Effect.fail(plain)
  return readText(answer, errorBytes).pipe(
    Effect.map(({ text }) => errorIn(parseJson(text), answer.status, challenge)),
    Effect.orElseSucceed(() => undefined),
    Effect.flatMap((error) => error ?? Effect.fail(plain))
  )
}

/** The response in a message: undefined for a notification, a request and the answer to something else. */
const responseOf = (
  message: JsonObject,
  id: number,
  status: number,
  bytes: number
): Either.Either<RpcAnswer, McpFailure> | undefined => {
  const error = errorIn(message, status)
  // Errors have no id if the server could not read it.
  if (error !== undefined && (message["id"] === id || (message["id"] ?? null) === null)) return error
  if (message["id"] !== id || "method" in message) return undefined
  const { result } = message
  return isObject(result)
    ? Either.right({ type: "result", result, bytes })
    : Either.left(wrongAnswer("its answer has neither a result nor an error"))
}

const errorIn = (message: unknown, status: number, challenge?: string): Either.Either<RpcAnswer> | undefined => {
  const error = isObject(message) && !("method" in message) ? message["error"] : undefined
  const code = numberAt(error, "code")
  if (!isObject(error) || code === undefined) return undefined
  return Either.right({
    type: "error",
    status,
    code,
    message: textAt(error, "message") ?? "",
    data: error["data"],
    challenge
  })
}

const requestOf = (message: JsonObject): ServerRequest | undefined => {
  const { id, method } = message
  if (typeof method !== "string" || (typeof id !== "string" && typeof id !== "number")) return undefined
  return { id, method }
}

const messageOf = (text: string): Either.Either<JsonObject, McpFailure> => {
  const message = parseJson(text, bounds)
  if (isObject(message)) return Either.right(message)
  return Either.left(
    wrongAnswer(
      Array.isArray(message) ? "it answers with a batch, which MCP does not have" : "it answers no JSON object"
    )
  )
}

const notTheAnswer = Either.left(wrongAnswer("its answer has another request's id"))

const readText = (answer: Streamed, maxBytes: number) =>
  Effect.gen(function* () {
    const decoder = new TextDecoder()
    let text = ""
    let bytes = 0
    for (;;) {
      const chunk = yield* next(answer)
      if (chunk === undefined) return { text: text + decoder.decode(), bytes }
      bytes += chunk.length
      if (bytes > maxBytes) return yield* tooLong(answer.status, maxBytes)
      text += decoder.decode(chunk, { stream: true })
    }
  })

const next = (answer: Streamed) =>
  Effect.tryPromise({
    try: () => answer.read(),
    catch: () => httpFailure(answer.status, "its connection broke before the end of the answer")
  })

const tooLong = (status: number, maxBytes: number): McpFailure =>
  tooLarge(status, `its answer is larger than ${Math.floor(maxBytes / 1_000)} kB`)

const isType = (header: string, type: string): boolean => header.toLowerCase().split(";")[0]?.trim() === type
