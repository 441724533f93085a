import { Effect } from "effect"
import type { Acting } from "../../contract/callers/Acting.ts"
import { AuthMissing, Forbidden, Unavailable } from "../../contract/failures/Failure.ts"
import type { Caller } from "../../contract/callers/Caller.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { anyoneIn, SessionAuthenticators } from "./SessionAuthenticators.ts"

/** A request to an endpoint that anyone may ask. */
export interface Asking {
  readonly caller: Caller
  readonly request: Incoming
}

/** The person of a request's session. */
export const makePersonOf = Effect.map(
  SessionAuthenticators,
  ({ actingIn }) =>
    ({ caller, request }: Asking) =>
      Effect.gen(function* () {
        const { entry } = yield* anyoneIn(caller)
        const acting = yield* actingIn(entry, request)
        if (acting === undefined) return yield* new AuthMissing({ message: "Not signed in" })
        if (acting === "away") return yield* new Unavailable({})
        return isPerson(acting) ? acting : yield* noPerson
      })
)

const isPerson = (acting: Acting): acting is Acting & { readonly person: string } => acting.person !== undefined

const noPerson = Effect.fail(
  new Forbidden({ message: "This is for people: sign in with your company's account, not with an admin key" })
)
