import type { AccountApi } from "../src/account/Api.ts"
import type { AdminApi } from "../src/admin/Api.ts"
import type { ModelsApi } from "../src/catalogue/Api.ts"
import type { ConsoleApi } from "../src/people/signIn/Api.ts"
import type { DevicesApi } from "../src/people/programs/Api.ts"
import type { ToolsApi } from "../src/people/tools/Api.ts"
import type { VideosApi } from "../src/videos/Api.ts"
import { actingIn } from "./actingIn.ts"
import { basePath } from "./address.ts"
import { callsOf } from "./calls.ts"
import type { Calls, GroupsOf } from "./calls.ts"
import { endpoints } from "./endpoints.ts"
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

/** The refusal of a record that is not in what the gateway answered. */
export const notFound = (message: string): Refused =>
  new Refused({ status: 404, code: "not_found", message, requestId: null, tookMs: 0, body: null })

/** True if a failure says that a record is not there. */
export const isNotFound = (error: unknown): boolean => error instanceof Refused && error.status === 404

type OwnGroups = typeof AccountApi | typeof ModelsApi | typeof VideosApi
type AdminCalls = Calls<GroupsOf<typeof AdminApi>, typeof endpoints.admin>
type ConsoleGroups = GroupsOf<typeof ConsoleApi> | typeof DevicesApi | typeof ToolsApi
type ConsoleCalls = Calls<ConsoleGroups, typeof endpoints.console>
type OwnCalls = Calls<OwnGroups, typeof endpoints.own>

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
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const began = performance.now()
    const headers = new Headers(init.headers)
    const method = init.method ?? "GET"
    if (method !== "GET" && method !== "HEAD") headers.set("x-gateway-csrf", csrf())
    const account = actingIn.account()
    if (account !== undefined) headers.set("x-gateway-account", account)
    let response: Response
    try {
      response = await fetch(basePath + path, { ...init, headers, credentials: "same-origin" })
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

  const admin: AdminCalls = callsOf<GroupsOf<typeof AdminApi>, typeof endpoints.admin>(endpoints.admin, send)
  const sessions: ConsoleCalls = callsOf<ConsoleGroups, typeof endpoints.console>(endpoints.console, send)
  /** The calls of the holder of a key. */
  const ownAs = (keyId: string | undefined): OwnCalls =>
    callsOf<OwnGroups, typeof endpoints.own>(endpoints.own, (path, init) => {
      const headers = new Headers(init.headers)
      if (keyId !== undefined) headers.set("x-gateway-key-id", keyId)
      return send(path, { ...init, headers })
    })

  return {
    /** A call that no contract types: a stream, a form. */
    send,
    /** A call of the operators' API. */
    admin: <A>(use: (calls: AdminCalls) => Promise<A>): Promise<A> => use(admin),
    /** A call about sessions of the console. */
    console: <A>(use: (calls: ConsoleCalls) => Promise<A>): Promise<A> => use(sessions),
    /**
     * A call of the clients' API.
     *
     * @param keyId the key that an operator acts as; an account's session has its own
     */
    own: <A>(use: (calls: OwnCalls) => Promise<A>, keyId?: string): Promise<A> => use(ownAs(keyId))
  }
}
export type Client = ReturnType<typeof makeClient>
