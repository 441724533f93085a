import { Effect, Option } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { Unpriced } from "../contract/failures/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Demand } from "../generation/Demand.ts"
import type { Model, ServedModels } from "../catalogue/Catalogue.ts"
import type { SharedLimits } from "../ledger/DurableHolds.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import { Offers } from "../ledger/Offers.ts"
import type { Price } from "../ledger/Price.ts"
import { countTokens } from "../tokens/tokens.ts"
import { triedRoutes } from "./admit.ts"
import type { Admitted, AdmissionRequest, NotAdmitted, QuoteRequest } from "./admit.ts"
import { mayFallBack } from "./chosenRoutes.ts"
import { allFallbacks, fallbackReasonOf } from "./Fallbacks.ts"
import { heldFor, heldTokens, dearestWay, mostServed, mostUsed } from "./mostUsed.ts"
import type { Most } from "./mostUsed.ts"
import { RoutePricing } from "./RoutePricing.ts"
import { once } from "./Quote.ts"
import type { Quote } from "./Quote.ts"
import type { Serving } from "./waysServed.ts"

type Admit = (caller: Caller, conversation: Conversation, asked: AdmissionRequest) => Admitted | NotAdmitted

interface Knowing extends Pick<Serving, "waysAt"> {
  readonly limitsOf: (model: Model) => SharedLimits | undefined
}

/**
 * The maximum cost of a conversation, with the models that may answer in its model's place. Fails if it would be refused
 * before an upstream is called.
 */
export const makeQuote = (
  admit: Admit,
  catalogue: ServedModels,
  ledger: Pick<Ledger, "permit">,
  { limitsOf, waysAt }: Knowing
) =>
  Effect.fnUntraced(function* (
    caller: Caller,
    conversation: Conversation,
    asked: QuoteRequest
  ): Effect.fn.Return<Quote, NotAdmitted | Unpriced> {
    const first = admit(caller, conversation, asked)
    const model = requested(first, catalogue.get(conversation.model))
    if (!("routes" in model)) return yield* model
    const fallbacks = mayFallBack(asked.headers) ? allFallbacks(catalogue, caller, model) : []
    const others = fallbacks
      .map((instead) => admit(caller, conversation, { ...asked, instead }))
      .filter((other) => "fitting" in other)
    if (others.length === 0 && !("fitting" in first)) return yield* first
    const payable = (one: Admitted) => {
      const pricing = new RoutePricing(one)
      const offers = new Offers(triedRoutes(one.routes, one), undefined, pricing)
      const { id, unpriced } = one.model
      return Effect.map(ledger.permit({ caller, model: id, offers, unpriced }), () => ({
        ...one,
        routes: offers.all,
        demands: pricing.demands()
      }))
    }
    const own = "fitting" in first ? [yield* payable(first)] : []
    const instead = yield* Effect.forEach(others, (other) => Effect.option(payable(other)))
    const [main, ...rest] = [...own, ...instead.flatMap((one) => Option.toArray(one))]
    if (main === undefined) return yield* noneHasPrice(model)
    return {
      model,
      modelLimits: limitsOf(model),
      answers: asked.answers ?? 1,
      ...amounts(caller, [main, ...rest], asked.answers ?? 1, waysAt)
    }
  })

/** The requested model, or the reason that neither it nor another one may answer. */
const requested = (first: ReturnType<Admit>, known: Model | undefined) => {
  if ("fitting" in first) return first.model
  return known === undefined || fallbackReasonOf(first) === undefined ? first : known
}

const noneHasPrice = ({ id }: Model) =>
  new Unpriced({ message: `no model that may answer in place of "${id}" has a price` })

/** An admitted request with the routes that its caller can pay for. */
interface Payable extends Admitted {
  readonly demands: ReadonlyArray<Demand>
}

/** The routes of all models, and the most that they may use and cost. */
const amounts = (
  caller: Caller,
  admitted: readonly [Payable, ...ReadonlyArray<Payable>],
  answers: number,
  waysAt: Serving["waysAt"]
): Pick<Quote, "routes" | "own" | "otherModels" | "most" | "mostNanoUsd" | "assumed" | "held" | "heldTokens"> => {
  const [main, ...others] = admitted
  const each = once(() =>
    admitted.map((one) => ({
      one,
      most: mostUsed(one.fitting, one, countTokens(one.fitting), one.demands)
    }))
  )
  const most = once(() => each().reduce<Most>((all, one) => larger(all, one.most), noMost))
  // All models get the same request, so that their demands are the same.
  const asking = { conversation: main.fitting, demands: main.demands }
  const ways = (price: Price) =>
    waysAt(
      admitted.flatMap(({ routes }) => routes),
      price,
      asking
    )
  const held = (price: Price): { readonly nanoUsd: number; readonly because: () => string } =>
    each()
      .map(({ most, one: { fitting: conversation, model } }) =>
        heldFor(price, most, { answers, caller, conversation, model, ways: ways(price) })
      )
      .reduce((one, other) => (other.nanoUsd > one.nanoUsd ? other : one))
  const [first, ...rest] = main.routes
  return {
    routes: [first, ...rest, ...others.flatMap(({ routes }) => routes)],
    own: others.length === 0 ? undefined : main.routes.map(({ price }) => price),
    otherModels: main.demands.flatMap(({ model }) => model ?? []),
    most,
    mostNanoUsd: (price) => answers * mostServed(price, most(), ways(price)),
    assumed: (price) => dearestWay(price, most(), ways(price)),
    held,
    heldTokens: () =>
      answers *
      Math.max(
        ...each().map(({ most, one: { fitting: conversation, model } }) =>
          heldTokens(most, { caller, conversation, model })
        )
      )
  }
}

const noMost: Most = { countedTokens: 0, inputTokens: 0, outputTokens: 0, searches: 0 }

/** Models differ in their bounds, not in the other things that the request asks for. */
const larger = (one: Most, other: Most): Most => ({
  ...one,
  ...other,
  countedTokens: Math.max(one.countedTokens, other.countedTokens),
  inputTokens: Math.max(one.inputTokens, other.inputTokens),
  outputTokens: Math.max(one.outputTokens, other.outputTokens),
  searches: Math.max(one.searches, other.searches)
})
