import { Effect, Option, Schema } from "effect"
import { MasterSecret } from "../../access/MasterSecret.ts"
import { makeSeal } from "../../access/sealed.ts"
import type { ToolGrantRow } from "./store/ToolGrantRows.ts"
import { wordsOf } from "./challenge.ts"
import { ToolClient } from "./tokenRequest.ts"
import type { GivenTokens } from "./tokenRequest.ts"

/** The tokens of a person at a server, and what refreshes them. */
const Grant = Schema.Struct({
  access: Schema.String,
  refresh: Schema.optionalWith(Schema.String, { exact: true }),
  client: ToolClient,
  tokenEndpoint: Schema.String,
  resource: Schema.String
})
export type Grant = typeof Grant.Type
const GrantText = Schema.parseJson(Grant)
const read = Schema.decodeUnknownOption(GrantText)
const write = Schema.encodeSync(GrantText)

interface GrantOwner {
  readonly person: string
  readonly server: string
  readonly issuer: string
}

interface NewGrant extends Pick<Grant, "client" | "tokenEndpoint" | "resource"> {
  /** The scopes that were asked for. */
  readonly scopes: string
  readonly tokens: GivenTokens
}

const aboutOf = ({ issuer, person, server }: GrantOwner): string => `mcp/${person}/${server}/${issuer}`

/** Seals grants for their person, server and issuer: a row that is copied elsewhere does not open. */
export const makeSealedGrants = Effect.map(MasterSecret, ({ derive }) => {
  const { open, seal } = makeSeal(derive("mcp/grants"))
  return {
    /** The columns of new tokens. */
    columnsOf: (owner: GrantOwner, { client, resource, scopes, tokenEndpoint, tokens }: NewGrant, nowMs: number) => {
      const { access, expiresInSeconds, refresh, scope } = tokens
      const grant = { access, client, tokenEndpoint, resource, ...(refresh !== undefined && { refresh }) }
      return {
        sealed: seal(write(grant), aboutOf(owner)),
        scopes: wordsOf(scope ?? scopes).join(" "),
        expires_at:
          expiresInSeconds === undefined
            ? null
            : nowMs + Math.min(Math.max(0, Math.floor(expiresInSeconds)), longest) * 1_000
      }
    },
    open: ({ issuer, person_id: person, sealed, server }: ToolGrantRow): Grant | undefined =>
      Option.getOrUndefined(read(open(sealed, aboutOf({ person, server, issuer }))))
  } as const
})

/** A year. */
const longest = 31_536_000
