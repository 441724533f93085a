import { SqlClient } from "@effect/sql"
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { MasterSecret } from "../../access/MasterSecret.ts"
import { makeSeal } from "../../access/sealed.ts"
import { Audit } from "../../admin/store/Audit.ts"
import { Configuration } from "../../config/Configuration.ts"
import { PublicUrl } from "../../config/PublicUrl.ts"
import type { Acting } from "../../contract/callers/Acting.ts"
import { NotFound } from "../../contract/failures/Failure.ts"
import { randomHex } from "../../contract/text/randomHex.ts"
import { AddressGuard } from "../../guard/AddressGuard.ts"
import { registered } from "../../mcp/McpServers.ts"
import type { PersonServer } from "../../mcp/PersonGrants.ts"
import { nameOfPerson } from "../actingOfPerson.ts"
import { People } from "../store/People.ts"
import { TakenOnce } from "../store/TakenOnce.ts"
import { askAt } from "./ask.ts"
import { together, wordsOf } from "./challenge.ts"
import { callbackOf, clientAt } from "./clientAt.ts"
import { ConnectFailed } from "./ConnectFailed.ts"
import { discover, isOwnIssuer } from "./discover.ts"
import { makeSealedGrants } from "./sealedGrants.ts"
import { ToolClients } from "./store/ToolClients.ts"
import { ToolGrantRows } from "./store/ToolGrantRows.ts"
import { requestTokens, ToolClient } from "./tokenRequest.ts"

/** How long a person may take at a server's sign-in. */
export const connectMs = 10 * 60_000
/** A browser keeps no longer cookie. */
const longestCookie = 3_900

/** A connection that was begun, which lies in the browser's cookie, sealed. */
const Begun = Schema.Struct({
  server: Schema.String,
  url: Schema.String,
  person: Schema.String,
  state: Schema.String,
  verifier: Schema.String,
  issuer: Schema.String,
  namesIssuer: Schema.Boolean,
  tokenEndpoint: Schema.String,
  client: ToolClient,
  resource: Schema.String,
  scopes: Schema.String,
  expiresAtMs: Schema.Number
})
const BegunText = Schema.parseJson(Begun)
const readBegun = Schema.decodeUnknownOption(BegunText)
const writeBegun = Schema.encodeSync(BegunText)

const purpose = "mcp/connect"

type ActingPerson = Acting & { readonly person: string }

/** People connect their accounts at MCP servers with `auth: person`, by an authorization code (RFC 6749, 7636, 8707, 9207). */
export class ToolConnections extends Effect.Service<ToolConnections>()("gateway/people/tools/ToolConnections", {
  dependencies: [Audit.Default, People.Default, TakenOnce.Default, ToolClients.Default, ToolGrantRows.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    const people = yield* People
    const taken = yield* TakenOnce
    const clients = yield* ToolClients
    const grants = yield* ToolGrantRows
    const guard = yield* AddressGuard
    const publicUrl = yield* PublicUrl
    const { current } = yield* Configuration
    const { derive } = yield* MasterSecret
    const seal = makeSeal(derive(purpose))
    const sealed = yield* makeSealedGrants

    const serverOf = (name: string): PersonServer | undefined => {
      const servers = current().value.mcp?.servers ?? {}
      const entry = Object.hasOwn(servers, name) ? servers[name] : undefined
      return entry === undefined ? undefined : registered(name, entry).personal
    }

    /**
     * Begins a connection.
     *
     * @returns the page of the server's sign-in, and what the browser keeps until it comes back
     */
    const begin = (acting: ActingPerson, name: string) =>
      Effect.gen(function* () {
        const server = serverOf(name)
        if (server === undefined) return yield* noServer(name)
        const ask = askAt(guard, server)
        const ownUrl = yield* publicUrl.get
        const signIn = yield* discover(server, ask)
        const client = yield* clientAt(signIn, { ask, clients, publicUrl: ownUrl, seal, server })
        const before = yield* grants.find(acting.person, name)
        const scopes = together(signIn.scopes, wordsOf(before?.wanted ?? "")).join(" ")
        const [state, verifier] = [randomText(), randomText()]
        const { issuer, namesIssuer, resource, tokenEndpoint } = signIn
        const cookie = seal.seal(
          writeBegun({
            server: name,
            url: server.url,
            person: acting.person,
            state,
            verifier,
            issuer,
            namesIssuer,
            tokenEndpoint,
            client,
            resource,
            scopes,
            expiresAtMs: (yield* Clock.currentTimeMillis) + connectMs
          }),
          purpose
        )
        if (cookie.length > longestCookie) return yield* tooLong
        const location = new URL(signIn.authorizationEndpoint)
        for (const [parameter, value] of Object.entries({
          response_type: "code",
          client_id: client.id,
          redirect_uri: callbackOf(ownUrl),
          code_challenge: new Bun.CryptoHasher("sha256").update(verifier).digest("base64url"),
          code_challenge_method: "S256",
          state,
          resource,
          ...(scopes !== "" && { scope: scopes })
        })) {
          location.searchParams.set(parameter, value)
        }
        return { location: location.href, cookie: Redacted.make(cookie) }
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    /**
     * Ends a connection: takes its state, once, and exchanges the code.
     *
     * @param cookie of `begin`
     * @param query of the callback
     * @returns the server's name
     */
    const complete = (
      cookie: Redacted.Redacted | undefined,
      query: URLSearchParams
    ): Effect.Effect<string, ConnectFailed> =>
      Effect.gen(function* () {
        const text = cookie === undefined ? undefined : seal.open(Redacted.value(cookie), purpose)
        const begun = Option.getOrUndefined(readBegun(text))
        const nowMs = yield* Clock.currentTimeMillis
        if (begun === undefined || begun.expiresAtMs <= nowMs || only(query, "state") !== begun.state)
          return yield* notBegun
        const server = serverOf(begun.server)
        if (server === undefined || server.url !== begun.url || !isOwnIssuer(server, begun.issuer))
          return yield* changed
        if (!(yield* taken.take(`connect ${begun.state}`, begun.expiresAtMs))) return yield* doneBefore
        const iss = only(query, "iss")
        if (iss === undefined ? begun.namesIssuer || query.has("iss") : iss !== begun.issuer) return yield* mixedUp
        const code = only(query, "code")
        if (code === undefined) return yield* refusal(query.get("error"))
        const tokens = yield* requestTokens(askAt(guard, server), begun.tokenEndpoint, begun.client, {
          grant_type: "authorization_code",
          code,
          redirect_uri: callbackOf(yield* publicUrl.get),
          code_verifier: begun.verifier,
          resource: begun.resource
        }).pipe(
          // The registration is gone: the next one who connects makes another.
          Effect.tapError(({ code }) =>
            code === "invalid_client" && server.clientId === undefined ? clients.remove(begun.issuer) : Effect.void
          )
        )
        const person = yield* people.find(begun.person)
        if (person === undefined || person.ended_at !== null) return yield* notBegun
        const { client, issuer, resource, scopes, tokenEndpoint } = begun
        const row = {
          person_id: begun.person,
          server: server.name,
          url: server.url,
          issuer,
          ...sealed.columnsOf(
            { person: begun.person, server: server.name, issuer },
            { client, resource, tokenEndpoint, scopes, tokens },
            nowMs
          ),
          wanted: "",
          connected_at: nowMs,
          claimed_until: 0,
          failing_since: null
        }
        yield* sql.withTransaction(
          Effect.zipRight(
            grants.put(row),
            audit.record({
              actor: { name: nameOfPerson(person), via: issuer },
              action: "tools.connect",
              target: server.name,
              before: null,
              after: { issuer, scopes: row.scopes }
            })
          )
        )
        return server.name
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    /** Forgets a person's tokens of a server. */
    const disconnect = (acting: ActingPerson, name: string): Effect.Effect<void, NotFound> =>
      Effect.gen(function* () {
        if (!(yield* grants.remove(acting.person, name))) return yield* noGrant(name)
        yield* audit.record({ actor: acting, action: "tools.disconnect", target: name, before: null, after: null })
      }).pipe((effect) => sql.withTransaction(effect), Effect.catchTag("SqlError", Effect.die))

    /** The servers that people connect, and a person's connections. */
    const list = (person: string) =>
      Effect.map(Effect.orDie(grants.ofPerson(person)), (rows) =>
        Object.keys(current().value.mcp?.servers ?? {}).flatMap((name) => {
          const server = serverOf(name)
          return server === undefined
            ? []
            : [{ name, row: rows.find((row) => row.server === name && row.url === server.url) }]
        })
      )

    return { begin, complete, disconnect, list } as const
  })
}) {}

/** 256 bits. */
const randomText = (): string => randomHex() + randomHex()

const only = (query: URLSearchParams, name: string): string | undefined => {
  const [value, ...others] = query.getAll(name)
  return others.length > 0 ? undefined : value
}

const fail = (message: string) => Effect.fail(new ConnectFailed({ message }))

const noServer = (name: string) =>
  Effect.fail(
    new NotFound({
      param: null,
      message: `People connect no account at a server ${JSON.stringify(name.slice(0, 100))}`
    })
  )
const noGrant = (name: string) =>
  Effect.fail(
    new NotFound({ param: null, message: `No account is connected at ${JSON.stringify(name.slice(0, 100))}` })
  )
const tooLong = fail("its sign-in names addresses that are too long")
const notBegun = fail("this connection was not begun in this browser, or it took longer than ten minutes")
const changed = fail("the server's configuration has changed meanwhile: begin again")
const doneBefore = fail("this connection was completed before")
const mixedUp = fail("the answer is not of the sign-in that was asked")
const refusal = (error: string | null) =>
  fail(
    error === "access_denied"
      ? "it was denied there"
      : `its sign-in refuses: ${(error ?? "no code").replace(/[^a-z_ ]/gi, "").slice(0, 60)}`
  )
