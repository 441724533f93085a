import { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Settlement } from "../contract/RequestRecord.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { Doubt, Usage } from "../generation/GenerationEvent.ts"
import { doubtOf, doubtOfStart } from "../generation/plausible.ts"
import { countTokens, mostTokens } from "../tokens/tokens.ts"
import type { Charge, Chargeable } from "../ledger/Charge.ts"
import type { Metering } from "../ledger/metered.ts"
import { Offers } from "../ledger/Offers.ts"
import { mostOf, priceFromText, unpriced } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"
import { Limits } from "../limits/Limits.ts"
import type { Admission } from "../limits/Limits.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import { triedRoutes } from "./admit.ts"
import type { Admitted, AdmittedRoute } from "./admit.ts"
import { Attempts, makeFailedAttempts } from "./Attempts.ts"
import { makeUsageDoubts } from "./usageDoubts.ts"
import type { GenerationOptions, Prepaid } from "./GenerationOptions.ts"
import { heldFor, mostUsed } from "./mostUsed.ts"
import type { Most } from "./mostUsed.ts"
import { shareOf } from "./several.ts"
import type { Unsupported } from "./unsupported.ts"
import { tellCost } from "./tellCost.ts"

/** Services that observe failed calls, implausible usage and disconnects. */
export const makeObservers = Effect.all({
  failedAttempts: makeFailedAttempts,
  reportDoubt: makeUsageDoubts,
  limits: Limits
})

type Observers = Effect.Effect.Success<typeof makeObservers>

/** The state of one request: an object instead of closures, because thousands are open at a time. */
export class Work implements Chargeable, Metering {
  readonly caller: Caller
  readonly requestId: string
  readonly model: string
  readonly unpriced: Model["unpriced"]
  readonly offers: Offers<AdmittedRoute>
  admission: Admission | undefined
  /** The parts that the current upstream does not get. */
  leftOut: ReadonlyArray<Unsupported> = []
  readonly entry: Model
  readonly conversation: Conversation
  readonly request: Incoming
  readonly options: GenerationOptions
  readonly attempts: Attempts
  /** The number of answers, each of which is charged. */
  readonly answers: number
  readonly #mostOutput: number
  readonly #reportDoubt: Observers["reportDoubt"]
  #route: AdmittedRoute | undefined
  readonly #limits: Observers["limits"]
  #inputTokens: number | undefined
  #unsupported: ReadonlyArray<Unsupported> | undefined

  constructor(
    caller: Caller,
    admitted: Admitted,
    request: Incoming,
    options: GenerationOptions,
    { reportDoubt, failedAttempts, limits }: Observers
  ) {
    const { fitting, model: entry, mostOutput, routes } = admitted
    this.caller = caller
    this.requestId = request.id
    this.model = entry.id
    this.unpriced = entry.unpriced
    const accepted = options.prepaid?.routes
    this.offers = new Offers(triedRoutes(accepted === undefined ? routes : agreed(routes, accepted), admitted))
    this.entry = entry
    this.#mostOutput = mostOutput
    this.conversation = fitting
    this.request = request
    this.options = options
    this.#reportDoubt = reportDoubt
    this.#limits = limits
    this.attempts = new Attempts(failedAttempts, request, entry, options.stream)
    this.answers = options.several?.count ?? 1
  }

  /** Sets the route. Another one, with another price, may follow until the answer begins. */
  asks(route: AdmittedRoute): void {
    this.#route = route
  }

  get upstream(): string {
    return (this.#route ?? this.offers.all[0]).upstream
  }

  get price(): Price {
    return (this.#route ?? this.offers.all[0]).price
  }

  inputTokens(): number {
    return (this.#inputTokens ??= this.answers * countTokens(this.conversation))
  }

  /** The most output tokens of an answer; 0 if the caller set no bound. */
  get boundedOutput(): number {
    return Math.min(this.conversation.maxOutputTokens ?? 0, this.#mostOutput)
  }

  #mostUsed(inputTokens: number): Most {
    return mostUsed(this.conversation, { model: this.entry, mostOutput: this.#mostOutput }, inputTokens)
  }

  mostNanoUsd(price: Price): number {
    return this.answers * mostOf(price, this.#mostUsed(this.inputTokens() / this.answers))
  }

  held(price: Price) {
    const { answers, caller, conversation, entry: model } = this
    const most = this.#mostUsed(this.inputTokens() / answers)
    return heldFor(price, most, { answers, caller, conversation, model })
  }

  /** True if the first words may be awaited: another route can take over, or the client does not stream. */
  get isPatient(): boolean {
    const { prepaid, stream } = this.options
    return this.offers.all.length > 1 || this.answers > 1 || !stream || prepaid !== undefined
  }

  leastNanoUsd(price: Price): number {
    const { conversation, entry } = this
    // Counting the input takes time, so it is only done if it bounds the output.
    const isBounding = conversation.maxOutputTokens === undefined && entry.contextTokens !== undefined
    const { outputTokens, searches } = this.#mostUsed(isBounding ? mostTokens(conversation) : 0)
    return this.answers * mostOf(price, { inputTokens: 0, outputTokens, searches })
  }

  /** A stream's headers have been sent by then, so it gets the cost in its usage. */
  tellCost(settlement: Settlement): void {
    if (this.price !== unpriced) tellCost(this.request, this.options.stream, settlement)
  }

  get contextTokens(): number | undefined {
    return this.entry.contextTokens
  }

  hasMore(): boolean {
    return this.#route?.endpoint !== undefined && this.unsupported().length > 0
  }

  doubtOf(usage: Usage, isStart: boolean): Doubt | undefined {
    const each = shareOf(usage, this.answers)
    return isStart ? doubtOfStart(each, this) : doubtOf(each, this)
  }

  doubted(reason: Doubt, told: Usage): void {
    this.#reportDoubt(this, reason, told)
    this.noted(`usage_doubted:${reason}`)
  }

  noted(note: string): void {
    this.request.record?.noted(note)
  }

  unsupported(): ReadonlyArray<Unsupported> {
    return (this.#unsupported ??= this.options.unsupported?.() ?? [])
  }

  firstPiece(): void {
    this.attempts.firstPiece()
  }

  failed(failure: Failure): void {
    this.attempts.brokeOff(failure)
  }

  isShuttingDown(): boolean {
    return this.request.shutdown.aborted
  }

  isWhole(): boolean {
    return !this.options.stream && this.options.prepaid === undefined
  }

  done(tokens: number, how: "finished" | "hang-up" | "abandoned" | "failed", used: Usage): void {
    this.admission?.done(tokens)
    if (how === "abandoned") this.#limits.leftEarly(this.caller)
    if (how !== "failed" && this.price === unpriced) this.noted("unpriced")
    this.attempts.over(how === "abandoned" ? "hang-up" : how, used)
  }

  /** The client disconnected before the answer began. An upstream that got the request has read the input. */
  left(charge: Charge): void {
    const { isSent } = this.attempts
    charge.abandon(isSent && !this.price.isFree ? { ...noUsage, inputTokens: this.inputTokens() } : noUsage)
    if (isSent && this.options.prepaid === undefined) this.#limits.leftEarly(this.caller)
  }
}

/** The routes that were priced when the task was accepted, at those prices. All routes if none of them is left. */
const agreed = (routes: Admitted["routes"], accepted: NonNullable<Prepaid["routes"]>): Admitted["routes"] => {
  const [first, ...others] = routes.flatMap((route) => {
    const one = accepted.find(({ model, upstream }) => upstream === route.upstream && model === route.model)
    return one === undefined ? [] : [{ ...route, price: priceFromText(one.price) }]
  })
  return first === undefined ? routes : [first, ...others]
}
