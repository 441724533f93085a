import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import { Audit } from "../../../admin/store/Audit.ts"
import { PublicUrl } from "../../../config/PublicUrl.ts"
import type { Acting } from "../../../contract/callers/Acting.ts"
import { NotFound } from "../../../contract/failures/Failure.ts"
import type { Forbidden } from "../../../contract/failures/Failure.ts"
import { randomHex } from "../../../contract/text/randomHex.ts"
import { TakenOnce } from "../../store/TakenOnce.ts"
import { OAuthRefused } from "../OAuthRefused.ts"
import { plainText } from "../plainText.ts"
import { ProgramTokens } from "../ProgramTokens.ts"
import type { Decision, Issued } from "../ProgramTokens.ts"
import { readCodeRequest, sha256 } from "./readCodeRequest.ts"
import { answeredAt, isAllowedRedirect, isOwnComputer } from "./redirects.ts"
import { makeSealedTexts } from "./SealedTexts.ts"
import type { Client, CodeRequest } from "./SealedTexts.ts"

/** How long a person may take to decide. */
const requestMs = 10 * 60_000
/** How long a program may take to use its code. */
const codeMs = 60_000

/** Of one registration: its addresses, and its name and addresses in bytes. */
const mostOfClient = { redirects: 10, bytes: 2_048 }
const longestName = 60
/** A sealed request stands in an address, and in the cookie of a sign-in on the way. */
const longestRequest = 2_300

/** A registered program. */
interface Registered extends Client {
  readonly id: string
}

/** An address of `authorize` leads to one of these: the page of the decision, or back to the program. */
type Led = { readonly request: string } | { readonly back: string }

/** The form in which a program exchanges its code. */
interface CodeForm {
  readonly code: string
  readonly client: string
  readonly redirect: string
  readonly verifier: string
}

/** Sign-ins of programs by a code (RFC 6749, 7636, 9207), for the tools of `/mcp`. */
export class CodeSignIns extends Effect.Service<CodeSignIns>()("gateway/people/programs/codes/CodeSignIns", {
  dependencies: [Audit.Default, ProgramTokens.Default, TakenOnce.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    const publicUrl = yield* PublicUrl
    const taken = yield* TakenOnce
    const tokens = yield* ProgramTokens
    const { clients, codes, requests } = yield* makeSealedTexts

    /** Registers a program by its name and addresses. Those that are not allowed are left out. */
    const register = (name: string, redirects: ReadonlyArray<string>): Effect.Effect<Registered, OAuthRefused> => {
      const client = { name: plainText(name, longestName), redirects: redirects.filter(isAllowedRedirect) }
      if (client.redirects.length === 0) return noRedirect
      if (client.redirects.length > mostOfClient.redirects) return manyRedirects
      if (Buffer.byteLength(JSON.stringify(client)) > mostOfClient.bytes) return longClient
      return Effect.succeed({ ...client, id: clients.seal(client) })
    }

    /** Reads what a program asks for, in the address that it opens in its person's browser. */
    const authorize = (query: URLSearchParams): Effect.Effect<Led, OAuthRefused> =>
      Effect.gen(function* () {
        const issuer = yield* publicUrl.get
        const asked = yield* readCodeRequest(query, clients.open, issuer)
        if ("refused" in asked) {
          const { redirect, refused, state } = asked
          // Anyone may register an address: only a click leads to one elsewhere.
          if (!isOwnComputer(redirect)) return yield* refused
          const { code: error, message: error_description } = refused
          return { back: answeredAt(redirect, { error, error_description, state, iss: issuer }) }
        }
        const request = requests.seal({ ...asked, expiresAtMs: (yield* Clock.currentTimeMillis) + requestMs })
        return request.length > longestRequest ? yield* longRequest : { request }
      })

    /** A request that waits for its person's decision. */
    const find = (sealed: string): Effect.Effect<CodeRequest, NotFound> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const request = requests.open(sealed)
        return request === undefined || request.expiresAtMs <= nowMs ? noRequest : Effect.succeed(request)
      })

    /** A person lets a program in, for one account, or keeps it out. @returns the address with the answer for it */
    const decide = (
      acting: Acting & { readonly person: string },
      sealed: string,
      decision: Decision
    ): Effect.Effect<string, NotFound | Forbidden> =>
      Effect.gen(function* () {
        const request = yield* find(sealed)
        const { name, redirect, state } = request
        const iss = yield* publicUrl.get
        if (decision.approve) yield* tokens.mayLetIn(acting, decision.account)
        yield* audit.record({
          actor: acting,
          action: decision.approve ? "program.approve" : "program.deny",
          target: decision.approve ? decision.account : acting.person,
          before: null,
          after: { program: name, issues: "tools", client: new URL(redirect).host }
        })
        if (!decision.approve) return answeredAt(redirect, { error: "access_denied", state, iss })
        const code = codes.seal({
          id: randomHex(),
          person: acting.person,
          account: decision.account,
          binding: bindingOf(request.client, redirect, request.challenge),
          expiresAtMs: (yield* Clock.currentTimeMillis) + codeMs
        })
        return answeredAt(redirect, { code, state, iss })
      }).pipe((effect) => sql.withTransaction(effect), Effect.catchTag("SqlError", Effect.die))

    /** The tokens of a code. One that is sent twice ends the sign-in: someone has a copy. */
    const exchange = (form: CodeForm, resource: string): Effect.Effect<Issued, OAuthRefused> =>
      Effect.gen(function* () {
        if (clients.open(form.client) === undefined) return yield* noClient
        const code = codes.open(form.code)
        const nowMs = yield* Clock.currentTimeMillis
        // A stranger who has seen the code alone must not use it up.
        if (code?.binding !== bindingOf(sha256(form.client), form.redirect, sha256(form.verifier))) return yield* noCode
        const id = `login_${code.id}`
        if (code.expiresAtMs <= nowMs) return yield* noCode
        const person = yield* tokens.spender(code.person, code.account, noCode)
        const issued = yield* tokens.change(
          Effect.flatMap(taken.take(`code ${code.id}`, code.expiresAtMs), (isFirst) =>
            isFirst ? tokens.issue({ id, person, account: code.account, resource, client: form.client }) : Effect.void
          )
        )
        if (issued !== undefined) return issued
        yield* tokens.end(id)
        return yield* noCode
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    return { register, authorize, find, decide, exchange } as const
  })
}) {}

const bindingOf = (client: string, redirect: string, challenge: string): string =>
  sha256(JSON.stringify([client, redirect, challenge]))

const refuse = (code: OAuthRefused["code"], message: string) => Effect.fail(new OAuthRefused({ code, message }))

const noRedirect = refuse(
  "invalid_redirect_uri",
  "redirect_uris: expected an https address, or one of http on localhost, 127.0.0.1 or [::1]"
)
const manyRedirects = refuse("invalid_client_metadata", `redirect_uris: at most ${mostOfClient.redirects}`)
const longClient = refuse("invalid_client_metadata", "client_name and redirect_uris: at most 2 KB together")
const longRequest = refuse("invalid_request", "state: too long")
const noClient = refuse("invalid_client", "client_id: not registered here; register again")
const noCode = refuse("invalid_grant", "The code has expired, was used, or belongs to another request")

const noRequest = Effect.fail(new NotFound({ param: null, message: "This request has expired: begin again" }))
