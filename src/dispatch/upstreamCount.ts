import { Clock, Effect } from "effect"
import type { AccountId, Caller } from "../contract/callers/Caller.ts"
import type { InvalidRequest, NotFound } from "../contract/failures/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { Bulkheads } from "../routing/Bulkhead.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import { serializeBody } from "../upstreams/calls/serializeBody.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import type { Passthrough } from "./GenerationOptions.ts"

type Permit = (
  caller: Caller,
  upstream: TextUpstream,
  body: unknown
) => Effect.Effect<string | undefined, InvalidRequest | NotFound>

/** How long a count is remembered, in ms, and how many at most. */
const keptMs = 60_000
const mostKept = 1_000
/** The longest wait for all of an upstream's keys: the caller's real request comes next. */
const patience = "7 seconds"

/**
 * Asks a model's upstream for a request's input tokens, if it offers counts in a form that it can get. A count is
 * remembered for a minute, because agents count the same conversation repeatedly. Undefined if the count is not
 * available.
 *
 * @param permit the key that made what a body names, if any; fails if it names an id of another account
 */
export const makeUpstreamCount = Effect.fnUntraced(function* (permit: Permit) {
  const upstreams = yield* TextUpstreams
  const bulkheads = yield* Bulkheads
  const kept = new Map<string, { readonly tokens: number; readonly untilMs: number }>()

  const keep = (name: string, tokens: number, untilMs: number): void => {
    if (kept.size >= mostKept) kept.delete(kept.keys().next().value ?? "")
    kept.set(name, { tokens, untilMs })
  }

  /** Skips an upstream whose circuit is open or that has no free slot. */
  const withRoom = (account: AccountId, part: string, nowMs: number, ask: Effect.Effect<number | undefined>) =>
    Effect.suspend(() => {
      const bulkhead = bulkheads.get(part)
      if (bulkhead !== undefined && bulkhead.circuit.waitMs(nowMs, account) > 0) return unknown
      const slot = bulkhead?.slots?.take(account)
      const asked = slot?.isFree === false ? unknown : ask
      return Effect.ensuring(
        asked,
        Effect.sync(() => slot?.leave())
      )
    })

  /** The first count that one of the upstream's keys gets. */
  const firstCount = (
    upstream: TextUpstream,
    made: string | undefined,
    ask: (upstream: TextUpstream) => Effect.Effect<number | undefined>
  ): Effect.Effect<number | undefined> =>
    Effect.timeoutTo(
      (upstream.keys ?? [{ key: undefined, upstream }])
        .filter(({ key }) => made === undefined || key === undefined || key === made)
        .reduce(
          (before, { upstream }) =>
            Effect.flatMap(before, (tokens) => (tokens === undefined ? ask(upstream) : Effect.succeed(tokens))),
          unknown
        ),
      { duration: patience, onSuccess: (tokens) => tokens, onTimeout: () => undefined }
    )

  /** @param asked all that the count depends on */
  const remembered = (asked: string, count: (nowMs: number) => Effect.Effect<number | undefined>) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      const hash = Bun.SHA256.hash(asked, "hex")
      const known = kept.get(hash)
      if (known !== undefined && known.untilMs > nowMs) return Effect.succeed(known.tokens)
      kept.delete(hash)
      return Effect.tap(count(nowMs), (tokens) =>
        Effect.sync(() => tokens !== undefined && keep(hash, tokens, nowMs + keptMs))
      )
    })

  return (
    caller: Caller,
    { routes }: Model,
    passthrough: Passthrough | undefined,
    conversation: Conversation
  ): Effect.Effect<number | undefined, InvalidRequest | NotFound> => {
    const [route] = routes
    const upstream = route && upstreams.get(route.part)
    if (route === undefined || upstream === undefined) return unknown
    const counted = (
      asked: ReadonlyArray<unknown>,
      text: string,
      made: string | undefined,
      ask: (upstream: TextUpstream) => Effect.Effect<number | undefined>
    ) =>
      remembered(`${JSON.stringify([upstream.name, route.model, ...asked])}${text}`, (nowMs) =>
        withRoom(caller.account, route.part, nowMs, firstCount(upstream, made, ask))
      )
    if (upstream.countConversation !== undefined) {
      return counted([], JSON.stringify(conversation), undefined, ({ countConversation }) =>
        countConversation === undefined ? unknown : countConversation(conversation, route.model)
      )
    }
    if (upstream.countTokens === undefined || passthrough === undefined) return unknown
    if (upstream.passthrough?.family !== passthrough.family) return unknown
    const request = passthrough.request(upstream)
    const { body, headers } = request
    return Effect.flatMap(permit(caller, upstream, body), (made) =>
      counted([headers.get("anthropic-beta")], serializeBody(request, body), made, ({ countTokens }) =>
        countTokens === undefined
          ? unknown
          : countTokens(request, {
              upstreamModel: route.model,
              knownAs: route.knownAs,
              serves: { caller, request: { body } }
            })
      )
    )
  }
})

const unknown = Effect.succeed<number | undefined>(undefined)
