import { Cause, Effect, Exit, Runtime } from "effect"
import type { Fiber } from "effect"
import { Internal } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Conversation, SearchOutcome, SearchTool } from "../generation/Conversation.ts"
import type { Batch, Generation, GenerationEnding } from "../generation/Generation.ts"
import { addUsage } from "../generation/addUsage.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { Doubt, FinishReason, GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import { doubtOf } from "../generation/plausible.ts"
import type { UsageBounds } from "../generation/plausible.ts"
import { countTokens } from "../tokens/tokens.ts"
import { argumentsObject, textAt } from "../contract/json/json.ts"
import { randomHex } from "../contract/text/randomHex.ts"
import type { GenerateOptions, TextUpstream } from "../upstreams/Upstream.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import { startGeneration } from "../upstreams/text/upstreamOf.ts"
import { afterSearch, searchItems, withoutFunction } from "./searchFunction.ts"
import { Citer } from "./Citer.ts"
import { Round } from "./Round.ts"
import type { SearchProvider } from "./SearchProvider.ts"
import type { Sources } from "./Sources.ts"

export interface Searching {
  readonly upstream: TextUpstream
  readonly provider: SearchProvider
  readonly options: GenerateOptions
  /** The conversation before any search. */
  readonly asked: Conversation
  /** The name of the search function. */
  readonly name: string
  readonly tool: SearchTool
  readonly sources: Sources
  /** The model's first turn, which has begun. */
  readonly first: Generation
}

/** The most searches of a request that sets no number. */
const usualSearches = 10
const longestQuery = 400

/**
 * The model's turns as one generation, with searches in between. The searches of a turn run concurrently, appear to the
 * client as the gateway's own, and their results go to the model with the next turn. A turn without searches, or with
 * calls of the caller's tools, is the last. Cancelling stops all work.
 */
export const searchingGeneration = (searching: Searching): Generation => {
  const { name, options, provider, sources, tool, upstream } = searching
  const most = tool.maxUses ?? usualSearches
  let current: Generation | undefined = searching.first
  let running: Fiber.RuntimeFiber<unknown, unknown> | undefined
  let isCancelled = false

  /** Waits for an effect, which a cancel interrupts; undefined if it was cancelled before. */
  const ended = async <A, E>(effect: Effect.Effect<A, E>): Promise<Exit.Exit<A, E> | undefined> => {
    if (isCancelled) return undefined
    const fiber = Runtime.runFork(options.runtime)(effect)
    running = fiber
    const exit = await new Promise<Exit.Exit<A, E>>((resolve) => {
      fiber.addObserver(resolve)
    })
    running = undefined
    return exit
  }

  async function* turns(): AsyncGenerator<Batch, void> {
    const citer = new Citer(sources)
    let conversation = searching.asked
    let used = noUsage
    /** The reason that the gateway counted a part itself. */
    let why: Doubt | "untold" | undefined
    /** Searches sent to the provider, which `max_uses` limits, and how many of them succeeded. */
    let made = 0
    let answered = 0
    for (let turn = 1; ; turn++) {
      const round = new Round(name, citer, turn === 1)
      while (round.end === undefined) {
        const next: Batch | undefined | Promise<Batch | undefined> = current?.next()
        const batch = next instanceof Promise ? await next : next
        if (batch === undefined) return
        const passed = round.take(batch)
        if (passed.length > 0) yield passed
      }
      current?.cancel(round.end.type)
      current = undefined
      if (round.end.type === "failed") return

      const isOnlyTurn = turn === 1 && round.searches.length === 0
      // If the only turn has no usage, the gateway counts it as usual.
      const { usage, counted } = usageOf(conversation, round, isOnlyTurn)
      why ??= counted
      if (usage !== undefined) used = { ...addUsage(used, usage), searches: 0 }
      const told = (): ReadonlyArray<GenerationEvent> =>
        usage === undefined
          ? []
          : [{ type: "usage", usage: { ...used, searches: answered }, ...(why !== undefined && { counted: why }) }]

      if (round.searches.length === 0 || isCut(round.end.reason)) {
        yield [...told(), round.end]
        return
      }
      const searches = round.searches.map((search) => ({ id: randomHex(), query: queryOf(search.arguments) }))
      yield searches.map(({ id, query }) => ({ type: "search-start", id, query }))
      const allowed = Math.max(0, most - made)
      const found = await ended(
        Effect.forEach(
          searches,
          ({ query }, index) => (index < allowed ? outcomeOf(query) : Effect.succeed(exceeded)),
          { concurrency: 4 }
        )
      )
      if (found === undefined || Exit.isFailure(found)) return yield* broken(found)
      made += Math.min(allowed, searches.length)
      answered += found.value.filter((outcome) => outcome.type === "results").length
      yield [
        ...searches.map(({ id }, index): GenerationEvent => {
          const outcome = found.value[index] ?? exceeded
          return { type: "search-end", id, outcome }
        }),
        ...told()
      ]
      if (round.hasCalled) {
        yield [...round.held(), { type: "finished", reason: "tool-calls", stopSequence: null }]
        return
      }

      const pairs = searches.map((search, index) =>
        searchItems(name, search, sources.tell(found.value[index] ?? exceeded))
      )
      conversation = {
        ...conversation,
        items: [
          ...conversation.items,
          ...round.said(),
          ...pairs.map(([call]) => call),
          ...pairs.map(([, result]) => result)
        ],
        toolChoice: afterSearch(conversation.toolChoice, name)
      }
      if (found.value.includes(exceeded)) conversation = withoutFunction(conversation, name)
      if (conversation.maxOutputTokens !== undefined && usage !== undefined) {
        const left = conversation.maxOutputTokens - usage.outputTokens
        if (left <= 0) {
          yield [{ type: "finished", reason: "max-tokens", stopSequence: null }]
          return
        }
        conversation = { ...conversation, maxOutputTokens: left }
      }
      const started = await ended(startGeneration(upstream, conversation, options))
      if (started === undefined || Exit.isFailure(started)) return yield* broken(started)
      current = started.value
      if (isCancelled) return current.cancel()
    }
  }

  const outcomeOf = (query: string): Effect.Effect<SearchOutcome> => {
    if (query.trim() === "") return Effect.succeed({ type: "error", code: "invalid_tool_input" })
    if (query.length > longestQuery) return Effect.succeed({ type: "error", code: "query_too_long" })
    return provider.search({ query, tool })
  }

  const iterator = turns()
  const next = (): Promise<Batch | undefined> =>
    iterator.next().then(
      ({ value }) => (isCancelled ? undefined : (value ?? undefined)),
      () => [{ type: "failed", failure: new Internal({}) }]
    )

  const cancel = (how?: GenerationEnding) => {
    if (isCancelled) return
    isCancelled = true
    current?.cancel(how)
    running?.unsafeInterruptAsFork(running.id())
  }

  const { adapted } = searching.first
  return { next, cancel, ...(adapted !== undefined && { adapted }) }
}

/** The last call of such a turn is incomplete. */
const isCut = (reason: FinishReason) => reason === "max-tokens" || reason === "context-exceeded" || reason === "refusal"

const exceeded: SearchOutcome = { type: "error", code: "max_uses_exceeded" }

/** The failure that ends the generation; nothing after a cancel. */
function* broken(end: Exit.Failure<unknown, Failure | UpstreamError> | undefined): Generator<Batch, void> {
  if (end === undefined || Cause.isInterrupted(end.cause)) return
  const error = end.cause._tag === "Fail" ? end.cause.error : new Internal({})
  yield [{ type: "failed", failure: error._tag === "UpstreamError" ? error.failure : error }]
}

const queryOf = (text: string): string => textAt(argumentsObject(text), "query") ?? ""

/**
 * A turn's usage: the upstream's if it is plausible, otherwise counted here; undefined to leave the counting to the
 * caller.
 */
const usageOf = (conversation: Conversation, round: Round, isOnlyTurn: boolean) => {
  const doubt = round.usage && doubtOf(round.usage, asked(conversation))
  if (round.usage !== undefined && (doubt === undefined || isOnlyTurn))
    return { usage: round.usage, counted: undefined }
  if (isOnlyTurn) return { usage: undefined, counted: undefined }
  const usage: Usage = { ...noUsage, inputTokens: countTokens(conversation), outputTokens: round.countOutput() }
  return { usage, counted: doubt ?? ("untold" as const) }
}

const asked = (conversation: Conversation): UsageBounds => ({
  conversation,
  contextTokens: undefined,
  inputTokens: () => countTokens(conversation),
  hasMore: () => false
})
