import { Context, Effect } from "effect"
import type { Redacted } from "effect"
import { McpFailure } from "./McpFailure.ts"
import type { Send } from "./Send.ts"

/** A server of the configuration at which each person has an account of their own. */
export interface PersonServer {
  readonly name: string
  readonly url: string
  /** Reaches the operator's own address, which may be private. */
  readonly send: Send
  /** The gateway's registration at the server's sign-in; undefined if it registers itself. */
  readonly clientId: string | undefined
  readonly clientSecret: Redacted.Redacted | undefined
  /** The only authorization server that it may name; undefined for any. */
  readonly issuer: string | undefined
  /** Undefined: those that the server names. */
  readonly scopes: ReadonlyArray<string> | undefined
}

/** A token that the server has refused. */
export interface RefusedToken {
  readonly token: Redacted.Redacted
  /** The `WWW-Authenticate` header. */
  readonly challenge: string | undefined
}

export interface Grants {
  /**
   * The token of a person at a server. It fails with a reason for people and models, which names the page to connect at.
   *
   * @param person undefined for a key that belongs to none
   * @param refused asks for another token than this one
   */
  readonly tokenOf: (
    server: PersonServer,
    person: string | undefined,
    refused?: RefusedToken
  ) => Effect.Effect<Redacted.Redacted, McpFailure>
}

/** People's accounts at servers. By default no one has one. */
export class PersonGrants extends Context.Reference<PersonGrants>()("gateway/mcp/PersonGrants", {
  defaultValue: (): Grants => ({ tokenOf: () => notConnected("this gateway connects no accounts of people") })
}) {}

/** @param connectUrl the page to connect at */
export const notConnected = (reason: string, connectUrl?: string): Effect.Effect<never, McpFailure> =>
  Effect.fail(new McpFailure({ outcome: "refused", status: 0, code: 0, reason, connectUrl }))
