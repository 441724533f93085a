import type { Cause } from "effect"
import type { AccountId, Caller } from "../contract/callers/Caller.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { FallbackReason } from "../contract/records/FallbackReason.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Settlement } from "../contract/records/Settlement.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { Doubt, FailedEvent, Usage } from "../generation/GenerationEvent.ts"
import { doubtOf, doubtOfStart } from "../generation/plausible.ts"
import { served } from "../contract/records/Served.ts"
import type { Served } from "../contract/records/Served.ts"
import { countTokens } from "../tokens/tokens.ts"
import type { Charge, Chargeable, UnusedCall } from "../ledger/Charge.ts"
import type { Metering } from "../ledger/meter.ts"
import { Offers } from "../ledger/Offers.ts"
import { unpriced } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"
import type { Lane, Requester } from "../routing/Lane.ts"
import type { Routing } from "../routing/tryRoutes.ts"
import type { Admission } from "../limits/Limits.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import { triedRoutes } from "./admit.ts"
import type { Admitted, AdmittedRoute } from "./admit.ts"
import { agreedRoutes } from "./agreedRoutes.ts"
import { Attempts } from "./Attempts.ts"
import { brokenLane } from "./brokenLane.ts"
import type { Chain, Fallbacks } from "./Fallbacks.ts"
import type { GenerationOptions } from "./GenerationOptions.ts"
import { laneOf } from "./laneOf.ts"
import { Leavable } from "./Leavable.ts"
import { labelsOf } from "./labelsOf.ts"
import { heldFor, heldOutput, heldTokens, mostUsed, piecesRead } from "./mostUsed.ts"
import type { Observers } from "./observers.ts"
import { RoutePricing } from "./RoutePricing.ts"
import { readBy, shareOf } from "./several.ts"
import type { Unsupported } from "./unsupported.ts"
import { tellCost } from "./tellCost.ts"

/** The state of one request: an object instead of closures, because thousands are open at a time. */
export class Work extends Leavable implements Chargeable, Metering, Requester<AdmittedRoute> {
  readonly caller: Caller
  readonly requestId: string
  readonly model: string
  readonly unpriced: Model["unpriced"]
  readonly offers: Offers<AdmittedRoute>
  admission: Admission | undefined
  /** The route that was asked last. Another one, with another price, may follow until the answer begins. */
  route: AdmittedRoute | undefined
  /** The parts that the current upstream does not get. */
  leftOut: ReadonlyArray<Unsupported> = []
  readonly entry: Model
  /** The name of the conversation, if it stays at its route. */
  readonly stickyKey: string | undefined
  readonly conversation: Conversation
  readonly request: Incoming
  readonly options: GenerationOptions
  attempts: Attempts
  /** The other models that may answer; undefined if there are none. */
  readonly fallbacks: Fallbacks | undefined
  /** The number of answers, each of which is charged. */
  readonly answers: number
  readonly #admitted: Admitted
  readonly #pricing: RoutePricing
  readonly #observers: Observers
  protected readonly readOns: Observers["readOns"]
  readonly #chain: Chain | undefined
  #hedge: Work | undefined
  #inputTokens: number | undefined
  #unsupported: ReadonlyArray<Unsupported> | undefined

  constructor(
    caller: Caller,
    admitted: Admitted,
    request: Incoming,
    options: GenerationOptions,
    observers: Observers,
    chain?: Chain
  ) {
    super()
    const { fitting, model: entry, routes, stickyKey } = admitted
    this.#admitted = admitted
    this.#observers = observers
    this.readOns = observers.readOns
    this.#chain = chain
    this.caller = caller
    this.requestId = request.id
    this.model = (chain?.requested ?? entry).id
    this.unpriced = entry.unpriced
    this.#pricing = new RoutePricing(admitted)
    const open = agreedRoutes(routes, options.prepaid?.routes)
    this.offers = new Offers(triedRoutes(open, admitted), undefined, this.#pricing)
    this.entry = entry
    this.stickyKey = stickyKey
    this.conversation = fitting
    this.request = request
    this.options = options
    this.attempts = chain?.attempts ?? new Attempts(observers.failedAttempts, request, entry, options.stream)
    this.fallbacks = chain?.fallbacks
    this.answers = options.several?.count ?? 1
  }

  /** True if a second route may be asked beside a silent one: nothing is sent or stored before the answer is whole. */
  get isHedged(): boolean {
    const { isStored, prepaid, stream } = this.options
    return this.entry.hedgeMs !== undefined && !stream && prepaid === undefined && isStored !== true
  }

  hedge(): Work {
    if (this.#hedge !== undefined) return this.#hedge
    const { entry, options, request } = this
    const attempts = new Attempts(this.#observers.failedAttempts, request, entry, options.stream)
    attempts.continues(this.attempts)
    const chain = { requested: { id: this.model }, fallbacks: undefined, ...this.#chain, attempts }
    return (this.#hedge = new Work(this.caller, this.#admitted, request, options, this.#observers, chain))
  }

  /** One of two calls answered: its state counts, and the operator pays what the other one used. */
  hedgeWon(by: "first" | "second"): void {
    this.#continuesWith(by)?.outpaced()
  }

  #continuesWith(by: "first" | "second"): Attempts | undefined {
    const hedge = this.#hedge
    if (hedge === undefined) return undefined
    this.#hedge = undefined
    const [kept, other] = by === "first" ? [this.attempts, hedge.attempts] : [hedge.attempts, this.attempts]
    kept.sent.outlast(other.sent)
    this.attempts = kept
    if (by === "second") {
      this.route = hedge.route
      this.leftOut = hedge.leftOut
    }
    return other
  }

  /** The calls whose answers were not used, as far as they cost the operator something. */
  get unused(): ReadonlyArray<UnusedCall> {
    return this.attempts.sent.unused(() => this.#inputOfCall())
  }

  get upstream(): string {
    return (this.route ?? this.offers.all[0]).upstream
  }

  get price(): Price {
    return (this.route ?? this.offers.all[0]).price
  }

  #inputOfCall(): number {
    return (this.#inputTokens ??= countTokens(this.conversation))
  }

  /** The input that the current upstream has read: once for each call. */
  inputTokens(): number {
    const isPassed = this.route?.endpoint !== undefined
    return readBy(this.attempts.sent.count, this.options.several, isPassed, () => this.#inputOfCall())
  }

  /** The most output tokens of an answer; 0 if the caller set no bound. */
  get boundedOutput(): number {
    return Math.min(this.conversation.maxOutputTokens ?? 0, this.#admitted.mostOutput)
  }

  get demands() {
    return this.#pricing.demands()
  }

  #most(of: Conversation) {
    return mostUsed(of, this.#admitted, countTokens(of), of === this.conversation ? this.demands : [])
  }

  mostNanoUsd(price: Price): number {
    return this.held(price).nanoUsd
  }

  mostTokens(): number {
    const { answers, caller, conversation, entry: model } = this
    return answers * heldTokens(this.#most(conversation), { caller, conversation, model })
  }

  /** The most tokens that count towards limits. Without a bound of the caller, the output is counted afterwards. */
  limitedTokens(): number {
    return this.answers * (this.#inputOfCall() + heldOutput(this.caller, this.entry, this.boundedOutput))
  }

  get labels() {
    return labelsOf([...(this.#chain === undefined ? [] : [this.#chain.requested]), this.entry], this.request.record)
  }
  held(price: Price, of = this.conversation) {
    const { answers, caller, conversation, entry: model } = this
    const ways = this.#observers.serving.waysAt(this.offers.all, price, this)
    return heldFor(price, this.#most(of), { answers, caller, conversation, model, ways })
  }

  /** True if the first words may be awaited: another route can take over, or the client does not stream. */
  get isPatient(): boolean {
    const { prepaid, stream } = this.options
    const hasOther = this.offers.all.length > 1 || this.fallbacks?.hasAny(this.entry) === true
    return hasOther || this.answers > 1 || !stream || prepaid !== undefined
  }

  /** The reasons for which another route or model may take over; undefined if none may. */
  mayLeave(isLast: boolean): ((reason: FallbackReason) => boolean) | undefined {
    const { entry, fallbacks } = this
    if (isLast && fallbacks === undefined) return undefined
    return (reason) => !isLast || fallbacks?.has(entry, reason) === true
  }

  get account(): AccountId {
    return this.caller.account
  }

  laneAt(route: AdmittedRoute): Lane {
    return laneOf(this, route, this.#observers.upstreams)
  }

  routing(routing: Routing): Routing {
    return this.fallbacks?.has(this.entry, "failed") === true ? { ...routing, hasFallback: true } : routing
  }

  /** A stream's headers have been sent by then, so it gets the cost in its usage. */
  tellCost(settlement: Settlement): void {
    if (this.price !== unpriced) tellCost(this.request, this.options.stream, settlement)
  }

  get contextTokens(): number | undefined {
    return this.entry.contextTokens
  }

  hasMore(): boolean {
    return this.route?.endpoint !== undefined && this.unsupported().length > 0
  }

  doubtOf(usage: Usage, isStart: boolean): Doubt | undefined {
    const each = shareOf(usage, this.answers)
    return isStart ? doubtOfStart(each, this) : doubtOf(each, this)
  }

  doubted(reason: Doubt, told: Usage): void {
    this.#observers.reportDoubt(this, reason, told)
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

  failed(event: FailedEvent): void {
    this.attempts.brokeOff(event.failure)
    if (event.rests !== undefined) brokenLane(this, event, this.#observers.coolDowns)
  }

  /** Whole answers run on everywhere once they are asked for, streams where the upstream says so; tools do not. */
  protected runsOn(): boolean {
    const { asksWhole, prepaid, serverTools, stream } = this.options
    const isSent = this.attempts.sent.count + (this.#hedge?.attempts.sent.count ?? 0) > 0
    if (prepaid !== undefined || serverTools !== undefined || !isSent) return false
    return !stream || asksWhole === true || this.#observers.upstreams.get(this.route?.part ?? "")?.runsOn === true
  }

  asked(): Served | undefined {
    return this.route && this.#observers.serving.askedAt(this.route, this)
  }

  isShuttingDown(): boolean {
    return this.request.shutdown.aborted
  }

  done(tokens: number, how: "finished" | "hang-up" | "failed", used: Usage): void {
    this.over()
    this.admission?.done(tokens)
    if (how !== "failed" && this.price === unpriced) this.noted("unpriced")
    if (this.conversation.serviceTier === undefined) this.#observers.serving.answered(this.route, used.served?.tier)
    this.attempts.over(how, used)
  }

  neverBegan(cause: Cause.Cause<Failure>): void {
    if (this.fallbacks !== undefined && cause._tag === "Fail") this.attempts.failure = cause.error
    else this.attempts.neverBegan(cause)
  }

  /** The client disconnected before the answer began. It pays for the input that one upstream has read. */
  left(charge: Charge): void {
    this.#continuesWith(this.attempts.sent.count > 0 ? "first" : "second")?.left(false)
    const used = { ...noUsage, inputTokens: this.inputTokens(), ...piecesRead(this), ...served(this.asked()) }
    void charge.settle({ ...used, ...this.toolCalls() }, "hang-up", true)
    this.admission?.done(used.inputTokens)
    if (used.inputTokens > 0) this.noted("usage_counted")
    if (this.request.record !== undefined) this.request.record.used = used
  }
}
