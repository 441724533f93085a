import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import { entrustedIn } from "../contract/callers/entrusted.ts"
import { withoutSecrets } from "../contract/callers/withoutSecrets.ts"
import { listAt, textAt } from "../contract/json/json.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Eras } from "./Eras.ts"
import { keyOf } from "./keyOf.ts"
import { cutWords, httpFailure, isRefusal, McpFailure, wrongAnswer } from "./McpFailure.ts"
import type { McpServer } from "./McpServer.ts"
import { readAnswer } from "./readAnswer.ts"
import type { RpcAnswer, ServerRequest } from "./readAnswer.ts"
import { initialize, inSession, legacyVersions, modernRequest, modernVersion, sessionHeaders } from "./requests.ts"
import type { Message, Session } from "./requests.ts"
import type { Sending } from "./Send.ts"

/** The errors that only servers without a handshake answer with. */
const modernErrors = { header: -32_020, capability: -32_021, version: -32_022 }

const unknownMethod = -32_601

/** The most of a server's answer to the opening of a session, in bytes. */
const openingBytes = 262_144
/** The most time of the last request of a session, in ms. */
const closingMs = 5_000

/** A request of the protocol. */
interface Asking {
  readonly method: string
  readonly params: JsonObject
  /** The most bytes of the answer. */
  readonly maxBytes: number
  /** Headers of this request. Only servers without a handshake know them. */
  readonly headers?: Readonly<Record<string, string>>
  readonly departure?: Departure | undefined
}

/** Tells of a request whether it has left. */
export interface Departure {
  hasLeft: boolean
}

/** An answered request. */
export interface Answered {
  readonly result: JsonObject
  readonly bytes: number
}

/**
 * A server as one generation reaches it. A session belongs to it alone, since a shared one would leak the server's state
 * between accounts; it is opened when it is needed first, and ends with the scope.
 */
export class Connection {
  readonly #server: McpServer
  readonly #key: string
  readonly #eras: Eras
  readonly #mark: string
  readonly #opening = Effect.unsafeMakeSemaphore(1)
  #session: Session | undefined
  #lastId = 0

  private constructor(server: McpServer, eras: Eras, mark: string) {
    this.#server = server
    this.#key = keyOf(server)
    this.#eras = eras
    this.#mark = mark
  }

  /** @param mark the gateway's own (`OwnMark`) */
  static readonly make = (server: McpServer, eras: Eras, mark: string): Effect.Effect<Connection, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => new Connection(server, eras, mark)),
      (connection) => Effect.forkDaemon(connection.#close())
    )

  /** Sends a request in the server's own form, which has to be known (`once`). It leaves once, whatever comes of it. */
  once(asking: Asking): Effect.Effect<Answered, McpFailure> {
    return Effect.flatMap(this.#eras.at(this.#key), (era) =>
      era === "legacy" ? this.#legacy(asking) : Effect.flatMap(this.#modern(asking), this.#resultOf)
    )
  }

  /** Sends a request that may leave more than once: in the form that the server is known for, or in each until one fits. */
  again(asking: Asking): Effect.Effect<Answered, McpFailure> {
    return Effect.flatMap(this.#eras.at(this.#key), (era) => {
      if (era !== "legacy") return this.#detect(asking)
      return this.#legacyAgain(asking).pipe(
        // Some refuse an unknown form with a 200.
        Effect.catchIf(
          (failure) => isRefusal(failure) || failure.code === unknownMethod,
          () => {
            this.#eras.forget(this.#key)
            return this.#detect(asking)
          }
        )
      )
    })
  }

  /** True if the form that the server speaks is known. */
  get isKnown(): Effect.Effect<boolean> {
    return Effect.map(this.#eras.at(this.#key), (era) => era !== undefined)
  }

  #detect(asking: Asking): Effect.Effect<Answered, McpFailure> {
    const legacy = (wanted?: string) => {
      this.#eras.forget(this.#key)
      return Effect.tap(this.#legacyAgain(asking, wanted), () => this.#eras.learn(this.#key, "legacy"))
    }
    const modern = (answer: RpcAnswer) => Effect.zipRight(this.#eras.learn(this.#key, "modern"), this.#resultOf(answer))
    return Effect.matchEffect(this.#modern(asking), {
      onFailure: (failure) => (isRefusal(failure) ? legacy() : Effect.fail(failure)),
      onSuccess: (answer) => {
        if (answer.type === "result") return "resultType" in answer.result ? modern(answer) : legacy()
        const { code, data, status } = answer
        if (status === 401 || status === 403) return this.#resultOf(answer)
        if (code === modernErrors.header || code === modernErrors.capability) return modern(answer)
        if (code !== modernErrors.version) return legacy()
        const supported = listAt(data, "supported")
        if (supported.includes(modernVersion)) return Effect.flatMap(this.#modern(asking), modern)
        const wanted = legacyVersions.find((known) => supported.includes(known))
        return wanted === undefined ? Effect.fail(unknownVersion) : legacy(wanted)
      }
    })
  }

  #modern({ headers, method, params, ...asking }: Asking): Effect.Effect<RpcAnswer, McpFailure> {
    const id = ++this.#lastId
    const message = modernRequest(id, method, params)
    return this.#ask(id, { ...message, headers: { ...message.headers, ...headers } }, asking)
  }

  #legacy(asking: Asking, wanted?: string): Effect.Effect<Answered, McpFailure> {
    return Effect.flatMap(this.#opened(wanted), (session) => {
      const { method, params } = asking
      const id = ++this.#lastId
      return this.#ask(id, inSession(session, { id, method, params }), asking, session).pipe(
        Effect.flatMap(this.#resultOf),
        Effect.tapError(({ status }) =>
          Effect.sync(() => {
            // The server no longer knows the session.
            if (status === 404 && this.#session === session) this.#session = undefined
          })
        )
      )
    })
  }

  #legacyAgain(asking: Asking, wanted?: string): Effect.Effect<Answered, McpFailure> {
    return Effect.suspend(() => {
      const before = this.#session
      return Effect.catchIf(
        this.#legacy(asking, wanted),
        () => before?.id !== undefined && this.#session === undefined,
        () => this.#legacy(asking, wanted)
      )
    })
  }

  #opened(wanted = legacyVersions[0] ?? ""): Effect.Effect<Session, McpFailure> {
    return this.#opening.withPermits(1)(
      Effect.suspend(() => (this.#session ? Effect.succeed(this.#session) : this.#open(wanted)))
    )
  }

  #open(wanted: string): Effect.Effect<Session, McpFailure> {
    const id = ++this.#lastId
    const opening = Effect.gen(this, function* () {
      const answer = yield* this.#send(initialize(id, wanted))
      const sessionId = answer.header("mcp-session-id")
      const session = { version: wanted, id: sessionId }
      const reply = (request: ServerRequest) => this.#reply(session, request)
      const { result } = yield* Effect.flatMap(
        readAnswer(answer, { id, maxBytes: openingBytes, reply }),
        this.#resultOf
      )
      const agreed = textAt(result, "protocolVersion") ?? ""
      if (!legacyVersions.includes(agreed)) {
        return yield* unknownVersion
      }
      if (sessionId !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(sessionId)) {
        return yield* wrongAnswer("its session has an id that no header carries")
      }
      return { version: agreed, id: sessionId }
    })
    return Effect.scoped(opening).pipe(
      Effect.mapError((failure) =>
        failure.status === 404 || failure.status === 405
          ? httpFailure(failure.status, `${failure.reason}; the HTTP+SSE transport of 2024 is not supported`)
          : failure
      ),
      Effect.tap((session) => Effect.sync(() => (this.#session = session))),
      Effect.tap((session) => this.#notify(inSession(session, { method: "notifications/initialized" })))
    )
  }

  #ask(
    id: number,
    message: Message,
    { departure, maxBytes }: Pick<Asking, "departure" | "maxBytes">,
    session?: Session
  ): Effect.Effect<RpcAnswer, McpFailure> {
    const sent = departure === undefined ? this.#send(message) : leaving(departure, this.#send(message))
    const reply = (request: ServerRequest) => (session === undefined ? Effect.void : this.#reply(session, request))
    return Effect.scoped(Effect.flatMap(sent, (answer) => readAnswer(answer, { id, maxBytes, reply })))
  }

  /** A server that gets no answer to its request would wait for it. */
  #reply(session: Session, { id, method }: ServerRequest): Effect.Effect<void, McpFailure> {
    const answer =
      method === "ping" ? { id, result: {} } : { id, error: { code: unknownMethod, message: "Method not found" } }
    return this.#notify(inSession(session, answer))
  }

  /** Sends what has no answer. */
  #notify(message: Message): Effect.Effect<void, McpFailure> {
    return Effect.scoped(
      Effect.flatMap(this.#send(message), ({ status }) =>
        status >= 200 && status < 300 ? Effect.void : Effect.fail(httpFailure(status, `it answers ${status}`))
      )
    )
  }

  readonly #resultOf = (answer: RpcAnswer): Effect.Effect<Answered, McpFailure> => {
    if (answer.type === "result") return Effect.succeed(answer)
    const { challenge, code, message, status } = answer
    const said = message === "" ? undefined : this.#cut(message)
    // A refused credential, or a server that is away, whatever else the body says.
    if (status === 401 || status === 403 || status >= 500) {
      return Effect.fail(httpFailure(status, `it answers ${status}`, said, challenge))
    }
    return Effect.fail(
      new McpFailure({ outcome: "protocol_error", status, code, reason: `it answers with the error ${code}`, said })
    )
  }

  /** A server's words without its credentials, which it may repeat. */
  #cut(message: string): string {
    const { headers, url } = this.#server
    const secrets = entrustedIn({ mcp_servers: [{ url, headers: Redacted.value(headers) }] })
    return cutWords(withoutSecrets(message, secrets))
  }

  #send({ body, headers }: Pick<Message, "headers"> & Partial<Message>, method: Sending["method"] = "POST") {
    const { headers: own, send, url } = this.#server
    const via = this.#mark === "" ? {} : { via: this.#mark }
    return send({
      method,
      url,
      headers: { ...Redacted.value(own), ...headers, "user-agent": "model-gateway", ...via },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
  }

  #close(): Effect.Effect<void> {
    const session = this.#session
    if (session?.id === undefined) return Effect.void
    const ended = Effect.scoped(this.#send({ headers: sessionHeaders(session) }, "DELETE"))
    return ended.pipe(Effect.timeout(closingMs), Effect.ignore)
  }
}

const leaving = <A, R>(departure: Departure, sent: Effect.Effect<A, McpFailure, R>): Effect.Effect<A, McpFailure, R> =>
  Effect.suspend(() => {
    departure.hasLeft = true
    return Effect.tapError(sent, ({ neverSent }) =>
      Effect.sync(() => {
        if (neverSent === true) departure.hasLeft = false
      })
    )
  })

const unknownVersion = wrongAnswer("it speaks no version of MCP that the gateway knows")
