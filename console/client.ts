import { FetchHttpClient, HttpApi, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Cause, Effect, Exit } from "effect"
import { AccountApi } from "../src/account/Api.ts"
import { AdminApi } from "../src/admin/Api.ts"
import { ModelsApi } from "../src/catalogue/Api.ts"
import { ConsoleApi } from "../src/console/Api.ts"
import { withoutDecodeError } from "../src/contract/withoutDecodeError.ts"
import { VideosApi } from "../src/videos/Api.ts"
import { basePath, gatewayUrl } from "./address.ts"
import { words } from "./words/words.ts"

/** An unsuccessful response, or none at all (`status` 0). */
export class Refused extends Error {
  readonly _tag = "Refused"
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  /** Milliseconds until the response. */
  readonly tookMs: number
  /** The whole body, which some failures use for details. */
  readonly body: unknown
  constructor(of: Pick<Refused, "body" | "code" | "message" | "requestId" | "status" | "tookMs">) {
    super(of.message)
    this.status = of.status
    this.code = of.code
    this.requestId = of.requestId
    this.tookMs = of.tookMs
    this.body = of.body
  }
}

/** The part of the clients' contract that the page calls, as the holder of a key. */
const OwnApi = withoutDecodeError(HttpApi.make("own").add(AccountApi).add(ModelsApi).add(VideosApi))

const base = { baseUrl: gatewayUrl }
const makeAdmin = HttpApiClient.make(AdminApi, base)
const makeConsole = HttpApiClient.make(ConsoleApi, base)
const makeOwn = (keyId: string | undefined) =>
  HttpApiClient.make(OwnApi, {
    ...base,
    transformClient: (client) =>
      keyId === undefined
        ? client
        : HttpClient.mapRequest(client, HttpClientRequest.setHeader("x-gateway-key-id", keyId))
  })
type AdminClient = Effect.Effect.Success<typeof makeAdmin>
type ConsoleClient = Effect.Effect.Success<typeof makeConsole>
type OwnClient = Effect.Effect.Success<ReturnType<typeof makeOwn>>

interface ErrorBody {
  readonly error?: { readonly code?: string; readonly message?: string; readonly type?: string }
}

const refusalOf = async (response: Response, began: number): Promise<Refused> => {
  const text = await response.text()
  const about = {
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    tookMs: performance.now() - began
  }
  try {
    const body: ErrorBody | null = JSON.parse(text)
    const { code, message, type } = body?.error ?? {}
    return new Refused({ ...about, code: code ?? type ?? "error", message: message ?? text.slice(0, 400), body })
  } catch {
    return new Refused({ ...about, code: "error", message: text.slice(0, 400), body: null })
  }
}

/** Calls the gateway with the session's cookie and the CSRF token that changes need. */
export const makeClient = ({
  csrf,
  refused
}: {
  readonly csrf: () => string
  readonly refused: (status: number) => void
}) => {
  const send = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const began = performance.now()
    const headers = new Headers(init.headers)
    const method = init.method ?? "GET"
    if (method !== "GET" && method !== "HEAD") headers.set("x-gateway-csrf", csrf())
    let response: Response
    try {
      const at = typeof input === "string" && input.startsWith("/") ? basePath + input : input
      response = await fetch(at, { ...init, headers, credentials: "same-origin" })
    } catch (cause) {
      if (init.signal?.aborted === true) throw cause
      throw new Refused({
        status: 0,
        code: "no_answer",
        message: words.failed.noAnswer,
        requestId: null,
        tookMs: performance.now() - began,
        body: null
      })
    }
    if (response.ok) return response
    const refusal = await refusalOf(response, began)
    refused(response.status)
    throw refusal
  }

  const signed: typeof fetch = Object.assign(send, { preconnect: fetch.preconnect })

  const run = async <C, A, E, E2>(
    client: Effect.Effect<C, E, HttpClient.HttpClient>,
    use: (client: C) => Effect.Effect<A, E2>
  ): Promise<A> => {
    const exit = await Effect.runPromiseExit(
      Effect.flatMap(client, use).pipe(
        Effect.provide(FetchHttpClient.layer),
        Effect.provideService(FetchHttpClient.Fetch, signed)
      )
    )
    if (Exit.isSuccess(exit)) return exit.value
    throw refusalIn(Cause.squash(exit.cause))
  }

  return {
    /** Pages that have not moved to the typed clients yet. */
    json: async <A>(path: string, init?: RequestInit): Promise<A> => {
      const answer: A = await (await send(path, init)).json()
      return answer
    },
    /** A call that no contract types: a stream, a form. */
    send,
    /** A call of the operators' API. */
    admin: <A, E>(use: (client: AdminClient) => Effect.Effect<A, E>): Promise<A> => run(makeAdmin, use),
    /** A call about sessions of the console. */
    console: <A, E>(use: (client: ConsoleClient) => Effect.Effect<A, E>): Promise<A> => run(makeConsole, use),
    /**
     * A call of the clients' API.
     *
     * @param keyId the key that an operator acts as; an account's session has its own
     */
    own: <A, E>(use: (client: OwnClient) => Effect.Effect<A, E>, keyId?: string): Promise<A> => run(makeOwn(keyId), use)
  }
}
export type Client = ReturnType<typeof makeClient>

/** Finds the error of `send`, wherever the client has wrapped it. */
const refusalIn = (error: unknown): unknown => {
  if (error instanceof Refused) return error
  const inner = error instanceof Error ? error.cause : undefined
  return inner === undefined ? error : refusalIn(inner)
}

export const jsonBody = (body: unknown, method = "POST"): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})
