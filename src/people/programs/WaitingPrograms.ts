import { Effect } from "effect"
import { isoTime } from "../../admin/fields.ts"
import { makePersonOf } from "../signIn/personOf.ts"
import type { Asking } from "../signIn/personOf.ts"
import { SessionAuthenticators } from "../signIn/SessionAuthenticators.ts"
import { InvalidRequest, NotFound } from "../../contract/failures/Failure.ts"
import { AgentSignIns } from "./AgentSignIns.ts"
import type { ProgramDecision, RequestDecision } from "./Api.ts"
import { CodeSignIns } from "./codes/CodeSignIns.ts"
import { isOwnComputer } from "./codes/redirects.ts"
import type { Decision } from "./ProgramTokens.ts"
import { userCodeOf } from "./userCode.ts"

/** Programs that wait for a person's decision, by the code that they show or by their request. */
export const makeWaitingPrograms = Effect.gen(function* () {
  const signIns = yield* AgentSignIns
  const codeSignIns = yield* CodeSignIns
  const personOf = yield* makePersonOf
  const { tries } = yield* SessionAuthenticators

  /** Wrong codes slow a person down, so that no one finds a waiting program by trying. */
  const byCode = <A, E>({ person }: { readonly person: string }, typed: string, use: UseCode<A, E>) =>
    tries.codes.checked(person, Effect.flatMap(codeOf(typed), use), isNoCode)

  const show = (asking: Asking, typed: string) =>
    Effect.gen(function* () {
      const { address, client, expires_at, issues, surface, user_code } = yield* byCode(
        yield* personOf(asking),
        typed,
        signIns.ofCode
      )
      return {
        object: "waiting_program" as const,
        code: user_code,
        program: surface,
        client,
        address,
        issues,
        expires_at: isoTime(expires_at)
      }
    })

  const decide = (asking: Asking, { code: typed, ...said }: ProgramDecision) =>
    Effect.gen(function* () {
      const acting = yield* personOf(asking)
      const decision = yield* decisionOf(said)
      yield* byCode(acting, typed, (code) => signIns.decide(acting, code, decision))
      return { object: "program_decision" as const, approved: decision.approve }
    })

  const showRequest = (asking: Asking, sealed: string) =>
    Effect.gen(function* () {
      yield* personOf(asking)
      const { expiresAtMs, name, redirect } = yield* codeSignIns.find(sealed)
      return {
        object: "asking_program" as const,
        program: name,
        host: new URL(redirect).host,
        own_computer: isOwnComputer(redirect),
        expires_at: isoTime(expiresAtMs)
      }
    })

  const decideRequest = (asking: Asking, { request: sealed, ...said }: RequestDecision) =>
    Effect.gen(function* () {
      const acting = yield* personOf(asking)
      const decision = yield* decisionOf(said)
      const location = yield* codeSignIns.decide(acting, sealed, decision)
      return { object: "request_decision" as const, approved: decision.approve, location }
    })

  return { show, decide, showRequest, decideRequest } as const
})

type UseCode<A, E> = (code: string) => Effect.Effect<A, E | NotFound>

/** An account may not be there either. */
const isNoCode = (failure: unknown): boolean => failure instanceof NotFound && failure.param === null

const decisionOf = ({
  account,
  approve
}: Pick<ProgramDecision, "account" | "approve">): Effect.Effect<Decision, InvalidRequest> => {
  if (!approve) return Effect.succeed({ approve })
  return account === undefined ? noAccount : Effect.succeed({ approve, account })
}

const codeOf = (typed: string): Effect.Effect<string, NotFound> => {
  const code = userCodeOf(typed)
  return code === undefined
    ? Effect.fail(new NotFound({ param: null, message: "No program waits with this code" }))
    : Effect.succeed(code)
}

const noAccount = Effect.fail(
  new InvalidRequest({ param: "account", message: "account: expected the account that pays for the program" })
)
