import { Cause, Effect, Exit, Runtime } from "effect"
import type { Fiber } from "effect"
import { Internal } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Batch, Generation, GenerationEnding } from "../generation/Generation.ts"
import { addUsage } from "../generation/addUsage.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { FinishReason, GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import type { GenerateOptions, TextUpstream } from "../upstreams/Upstream.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import type { ApprovedCalls } from "./ApprovedCalls.ts"
import { CallBounds } from "./CallBounds.ts"
import type { CallingRound } from "./journal/journaledCalls.ts"
import { journaledCalls } from "./journal/journaledCalls.ts"
import type { EarlierRounds, JournalUse, RoundJournal } from "./journal/RoundJournal.ts"
import { startLaterRound } from "./laterRound.ts"
import { mostRounds } from "./mostRounds.ts"
import { afterCalls, withCallsLeft, withFound, withoutTools } from "./offeredTools.ts"
import { Round } from "./Round.ts"
import type { RoundEnd, WrittenCall } from "./Round.ts"
import { roundUsage } from "./roundUsage.ts"
import type { ServerCall, ServerTool, TextFilter } from "./ServerTool.ts"

export interface ToolRun {
  readonly upstream: TextUpstream
  readonly options: GenerateOptions
  /** The conversation before any call, which offers the tools to the model. */
  readonly asked: Conversation
  readonly tools: ReadonlyArray<ServerTool>
  readonly text?: TextFilter
  /** Shown to the client before the first words of the model. */
  readonly opening?: ReadonlyArray<GenerationEvent>
  /** The calls that ran before, whose results the conversation has. */
  readonly approved?: ApprovedCalls | undefined
  /** The most calls that the caller allows, searches among them. */
  readonly mostCalls?: number | undefined
  readonly journal?: RoundJournal | undefined
  /** The rounds of earlier runs, which the conversation has. */
  readonly earlier?: EarlierRounds | undefined
  /** The model's first round of this run, which has begun. */
  readonly first: Generation
}

/** The bound on output of a last round for which the caller's money would not be enough otherwise. */
const lastWords = 1_024

/**
 * The model's rounds as one generation, with calls of server tools in between. The calls of a round run concurrently,
 * appear to the client as the gateway's own, and their results go to the model with the next round. A round without
 * such calls, or with calls of the caller's tools, is the last. Cancelling stops all work.
 */
export const toolGeneration = (run: ToolRun): Generation => {
  const { approved, earlier, journal, options, upstream } = run
  /** How many items the caller's request had. */
  const before = run.asked.items.length - (earlier?.items.length ?? 0)
  let current: Generation | undefined = run.first
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

  const extended = (used: Usage, next?: Conversation): Effect.Effect<boolean> =>
    options.extend?.(used, next) ?? Effect.succeed(true)

  /** The next round as it may be asked; undefined if the caller's money is not enough for its last words. */
  const payable = (used: Usage, next: Conversation): Effect.Effect<Conversation | undefined> => {
    const { maxOutputTokens = lastWords } = next
    const last = { ...withoutTools(next, namesOf(run.tools)), maxOutputTokens: Math.min(maxOutputTokens, lastWords) }
    return Effect.flatMap(extended(used, next), (isHeld) =>
      isHeld ? Effect.succeed(next) : Effect.map(extended(used, last), (isEnough) => (isEnough ? last : undefined))
    )
  }

  /** Runs the allowed calls if the caller's money is enough for all of them. */
  const runCalls = (
    number: number,
    { calls, said, shown }: CallingRound,
    allowed: ReadonlyArray<WrittenCall>,
    use: JournalUse
  ) => {
    const most = allowed.reduce(
      (sum, { call, tool }) => withCalls(sum, tool.mostUsage(call)),
      withCalls(use.used, use.called)
    )
    return Effect.flatMap(extended(most), (isPaid) => {
      const run = isPaid ? allowed : []
      const refused = calls.filter((one) => !run.includes(one)).map(({ tool }) => tool)
      return Effect.map(journaledCalls(journal, number, { calls, said, shown }, run, use), (ended) => ({
        ...ended,
        refused
      }))
    })
  }

  async function* rounds(): AsyncGenerator<Batch, void> {
    let conversation = run.asked
    let { called, used, why }: JournalUse = earlier ?? { used: noUsage, called: approved?.usage ?? noUsage }
    const bounds = new CallBounds(run.mostCalls)
    bounds.allows(approved?.calls ?? earlier?.calls.flatMap((call) => writtenBy(run.tools, call)) ?? [])
    bounds.searched(earlier?.items.filter(({ type }) => type === "search").length ?? 0)
    let opening = earlier?.shown ?? [...(run.opening ?? []), ...(approved?.events ?? [])]
    const isFresh = earlier === undefined && approved === undefined
    // Approved calls are the journal's first round.
    const first = 1 + (earlier?.count ?? (approved === undefined ? 0 : 1))
    for (let number = first; ; number++) {
      const round = new Round(run.tools, run.text, number === first)
      const shown: Array<GenerationEvent> = []
      while (round.end === undefined) {
        const next: Batch | undefined | Promise<Batch | undefined> = current?.next()
        const batch = next instanceof Promise ? await next : next
        if (batch === undefined) return
        const taken = round.take(batch)
        const passed = opened(taken, opening)
        if (journal !== undefined) shown.push(...(isFresh ? passed : taken))
        opening = []
        if (passed.length > 0) yield passed
      }
      current?.cancel(round.end.type)
      current = undefined
      if (round.end.type === "failed") return

      const isOnlyRound = number === 1 && round.calls.length === 0
      // If the only round has no usage, the gateway counts it as usual.
      const { usage, counted } = roundUsage(conversation, round, isOnlyRound)
      why ??= counted
      if (usage !== undefined) used = { ...addUsage(used, usage), searches: 0 }
      const told = (): ReadonlyArray<GenerationEvent> =>
        usage === undefined
          ? []
          : [{ type: "usage", usage: withCalls(used, called), ...(why !== undefined && { counted: why }) }]

      // The last call of a cut round may lack a part, so that it is not asked about either.
      if (isCut(round.end.reason)) return yield [...told(), round.end]
      if (round.calls.length === 0) return yield [...round.left(), ...told(), endOf(round, round.end)]
      const begins = round.calls.flatMap(({ call, tool }) => tool.begins(call))
      shown.push(...begins)
      yield begins
      bounds.searched(round.searches)
      const allowed = number < mostRounds ? bounds.allows(round.calls) : []
      const said = round.said()
      const calling = { calls: round.calls, said, shown }
      const done = await ended(runCalls(number, calling, allowed, { used, called, why }))
      if (done === undefined || Exit.isFailure(done)) return yield* broken(done)
      const { ends, refused } = done.value
      called = done.value.use.called
      yield [...ends.flatMap(({ events }) => events), ...told()]
      if (round.isLeft) return yield [...round.left(), endOf(round, round.end)]

      if (number >= mostRounds) return yield [outOfTokens]
      conversation = {
        ...conversation,
        items: [
          ...conversation.items,
          ...said,
          ...ends.map(({ items: [call] }) => call),
          ...ends.map(({ items: [, result] }) => result)
        ],
        tools: withFound(conversation.tools, ends),
        toolChoice: afterCalls(conversation.toolChoice, new Set(round.calls.map(({ call }) => call.name)))
      }
      const ending = number + 1 === mostRounds ? run.tools : refused
      if (ending.length > 0) conversation = withoutTools(conversation, namesOf(ending))
      conversation = withCallsLeft(conversation, namesOf(run.tools), bounds.left)
      if (conversation.maxOutputTokens !== undefined && usage !== undefined) {
        const left = conversation.maxOutputTokens - usage.outputTokens
        if (left <= 0) return yield [outOfTokens]
        conversation = { ...conversation, maxOutputTokens: left }
      }
      const next = await ended(payable(withCalls(used, called), conversation))
      if (next === undefined || Exit.isFailure(next)) return yield* broken(next)
      if (next.value === undefined) return yield [outOfTokens]
      conversation = next.value
      const so = withCalls(used, called)
      const later = { ...options, extend: (more: Usage, next?: Conversation) => extended(withCalls(so, more), next) }
      const started = await ended(startLaterRound(upstream, conversation, later, before))
      if (started === undefined || Exit.isFailure(started)) return yield* broken(started)
      conversation = started.value.asked
      current = started.value.generation
      if (isCancelled) return current.cancel()
    }
  }

  const iterator = rounds()
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

  const { adapted, replyHeaders, upstreamRequestId } = run.first
  return {
    next,
    cancel,
    ...(adapted !== undefined && { adapted }),
    ...(replyHeaders !== undefined && { replyHeaders }),
    ...(upstreamRequestId !== undefined && { upstreamRequestId })
  }
}

/** The first events, with those that the client sees before the model's words. */
const opened = (
  passed: ReadonlyArray<GenerationEvent>,
  opening: ReadonlyArray<GenerationEvent>
): ReadonlyArray<GenerationEvent> => {
  if (opening.length === 0) return passed
  const [first, ...others] = passed
  return first?.type === "started" ? [first, ...opening, ...others] : [...opening, ...passed]
}

const writtenBy = (tools: ReadonlyArray<ServerTool>, call: ServerCall): ReadonlyArray<WrittenCall> =>
  tools.filter(({ names }) => names.has(call.name)).map((tool) => ({ tool, call }))

const namesOf = (tools: ReadonlyArray<ServerTool>) => new Set(tools.flatMap(({ names }) => [...names]))

/** A usage with what calls count as. The charge that the upstream tells is for its own part. */
const withCalls = (used: Usage, called: Usage): Usage => ({
  ...addUsage(used, called),
  ...(used.toldNanoUsd !== undefined && { toldNanoUsd: used.toldNanoUsd })
})

/** The end of the last round. At the upstream one with approvals has ended with calls, which the caller does not see. */
const endOf = ({ asking, hasCalled }: Round, end: RoundEnd & { readonly type: "finished" }): GenerationEvent =>
  hasCalled || asking.length > 0 ? { ...end, reason: hasCalled ? "tool-calls" : "stop" } : end

/** The last call of such a round is incomplete. */
const isCut = (reason: FinishReason) => reason === "max-tokens" || reason === "context-exceeded" || reason === "refusal"

const outOfTokens: GenerationEvent = { type: "finished", reason: "max-tokens", stopSequence: null }

/** The failure that ends the generation; nothing after a cancel. */
function* broken(end: Exit.Failure<unknown, Failure | UpstreamError> | undefined): Generator<Batch, void> {
  if (end === undefined || Cause.isInterrupted(end.cause)) return
  const error = end.cause._tag === "Fail" ? end.cause.error : new Internal({})
  yield [{ type: "failed", failure: error._tag === "UpstreamError" ? error.failure : error }]
}
