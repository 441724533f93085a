import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Redacted } from "effect"
import { PublicUrl } from "../../config/PublicUrl.ts"
import { AddressGuard } from "../../guard/AddressGuard.ts"
import type { McpFailure } from "../../mcp/McpFailure.ts"
import { notConnected } from "../../mcp/PersonGrants.ts"
import type { Grants, PersonServer, RefusedToken } from "../../mcp/PersonGrants.ts"
import { askAt } from "./ask.ts"
import { isOwnIssuer } from "./discover.ts"
import { readChallenge, together, wordsOf } from "./challenge.ts"
import { makeSealedGrants } from "./sealedGrants.ts"
import type { Grant } from "./sealedGrants.ts"
import { ToolClients } from "./store/ToolClients.ts"
import { ToolGrantRows } from "./store/ToolGrantRows.ts"
import type { ToolGrantRow } from "./store/ToolGrantRows.ts"
import { requestTokens } from "./tokenRequest.ts"

/** A token that ends sooner is refreshed before it is used. */
const earlyMs = 30_000
/** How often one looks whether another process has refreshed. */
const lookMs = 100

type AccessToken = Effect.Effect<Redacted.Redacted, McpFailure | SqlError>

/** The tokens that people have connected, refreshed when it is time. */
export const makeGrantedTokens = Effect.gen(function* () {
  const grants = yield* ToolGrantRows
  const clients = yield* ToolClients
  const guard = yield* AddressGuard
  const publicUrl = yield* PublicUrl
  const sealed = yield* makeSealedGrants

  const connectFirst = (server: PersonServer, why: string) =>
    Effect.flatMap(publicUrl.get, (url) => {
      const link = `${url}/console/tools?${new URLSearchParams({ connect: server.name })}`
      return notConnected(`${why}: the person connects it at ${link} first`, link)
    })

  const find = (server: PersonServer, person: string, refused: RefusedToken | undefined): AccessToken =>
    Effect.gen(function* () {
      const row = yield* grants.find(person, server.name)
      if (row === undefined || row.url !== server.url || !isOwnIssuer(server, row.issuer)) {
        return yield* connectFirst(server, noAccount(server))
      }
      const grant = sealed.open(row)
      if (grant === undefined) {
        // Sealed by another master secret, or for another row.
        yield* grants.removeSame(row)
        return yield* connectFirst(server, noAccount(server))
      }
      const nowMs = yield* Clock.currentTimeMillis
      const isRefused = refused !== undefined && Redacted.value(refused.token) === grant.access
      if (isRefused && /\binsufficient_scope\b/.test(refused.challenge ?? ""))
        return yield* wantMore(server, row, refused)
      const isOver = row.expires_at !== null && row.expires_at <= nowMs
      const isEnding = row.expires_at !== null && row.expires_at <= nowMs + earlyMs
      if (!isRefused && !isEnding) return Redacted.make(grant.access)
      if (grant.refresh === undefined) {
        if (!isRefused && !isOver) return Redacted.make(grant.access)
        yield* grants.removeSame(row)
        return yield* connectFirst(server, ended(server))
      }
      if (yield* grants.claim(row, nowMs)) {
        // The answer may replace the refresh token: it must not be lost where the caller leaves.
        return yield* Effect.uninterruptible(refresh(server, row, { ...grant, refresh: grant.refresh }))
      }
      yield* Effect.sleep(lookMs)
      return yield* find(server, person, refused)
    })

  const refresh = (server: PersonServer, row: ToolGrantRow, grant: Grant & { readonly refresh: string }): AccessToken =>
    Effect.gen(function* () {
      const { client, resource, tokenEndpoint } = grant
      const answer = yield* Effect.either(
        requestTokens(askAt(guard, server), tokenEndpoint, client, {
          grant_type: "refresh_token",
          refresh_token: grant.refresh,
          resource
        })
      )
      const nowMs = yield* Clock.currentTimeMillis
      if (answer._tag === "Right") {
        const tokens = { ...answer.right, refresh: answer.right.refresh ?? grant.refresh }
        const owner = { person: row.person_id, server: row.server, issuer: row.issuer }
        const next = { client, resource, tokenEndpoint, scopes: row.scopes, tokens }
        yield* grants.refreshed(row, sealed.columnsOf(owner, next, nowMs))
        return Redacted.make(tokens.access)
      }
      const { code } = answer.left
      if (code === "invalid_grant" || code === "invalid_client") {
        yield* grants.removeSame(row)
        // The registration is gone, or was another's.
        if (code === "invalid_client" && server.clientId === undefined) yield* clients.remove(row.issuer)
        return yield* connectFirst(server, ended(server))
      }
      yield* grants.failed(row, nowMs)
      yield* Effect.annotateLogs(Effect.logWarning("a person's token of a server can't be refreshed"), {
        event: "tools.refresh_failed",
        server: server.name,
        reason: answer.left.message
      })
      return yield* notConnected(`the sign-in of "${server.name}" does not answer as expected; try again later`)
    })

  /** Asks for the sum of scopes, once: a server that has been granted them and still refuses is not believed. */
  const wantMore = (server: PersonServer, row: ToolGrantRow, { challenge }: RefusedToken) =>
    Effect.gen(function* () {
      const granted = wordsOf(row.scopes)
      const sum = together(granted, readChallenge(challenge).scopes)
      if (sum.length === granted.length) {
        return yield* notConnected(`the person's account at "${server.name}" may not do this`)
      }
      yield* grants.want(row, sum.join(" "))
      return yield* connectFirst(server, `the account at "${server.name}" has not granted this yet`)
    })

  const tokenOf: Grants["tokenOf"] = (server, person, refused) =>
    person === undefined
      ? notConnected(`"${server.name}" wants a person's own account, and this key belongs to no person`)
      : Effect.catchTag(find(server, person, refused), "SqlError", Effect.die)

  return { tokenOf } as const
})

const noAccount = ({ name }: PersonServer) => `the person's account at "${name}" is not connected yet`
const ended = ({ name }: PersonServer) => `the sign-in of the person's account at "${name}" has ended`
