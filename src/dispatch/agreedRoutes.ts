import { priceFromText } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"
import type { Route } from "../routing/Route.ts"
import type { Admitted } from "./admit.ts"
import type { Prepaid } from "./GenerationOptions.ts"

/** The routes that were priced when the task was accepted, at those prices. All routes if none of them is left. */
export const agreedRoutes = (routes: Admitted["routes"], accepted: Prepaid["routes"]): Admitted["routes"] => {
  if (accepted === undefined) return routes
  const [first, ...others] = routes.flatMap((route) => {
    const one = accepted.find((one) => isSameRoute(one, route))
    if (one === undefined) return []
    return [
      {
        ...route,
        price: agreedPrice(one.price, route.price),
        ...(one.isUnsearched === true && { isUnsearched: one.isUnsearched })
      }
    ]
  })
  return first === undefined ? routes : [first, ...others]
}

/** A stored price. A model that no field of the request named, but that worked for the answer, costs as it does now. */
const agreedPrice = (text: string, { others: now }: Price): Price => {
  const price = priceFromText(text)
  const { others: agreed } = price
  return price.isFree || now === undefined ? price : { ...price, others: (model) => agreed?.(model) ?? now(model) }
}

/** True if the hold of a task covers a route of the model. */
export const isCovered = ({ routes }: Admitted, accepted: Prepaid["routes"]): boolean =>
  accepted === undefined || routes.some((route) => accepted.some((one) => isSameRoute(one, route)))

const isSameRoute = (one: Route, other: Route): boolean => one.upstream === other.upstream && one.model === other.model
