import type { Failure } from "../contract/failures/Failure.ts"
import { Future } from "../flow/Future.ts"
import type { Generation } from "../generation/Generation.ts"
import type { Admitted } from "./admit.ts"
import type { Work } from "./Work.ts"

type Routes = Admitted["routes"]

/**
 * Tries the routes of a model. Once the flex tier of an earlier model was full, only those that serve flex: a dearer
 * tier was not asked for.
 */
export const flexAlone = (
  work: Work,
  routes: Routes,
  tried: (routes: Routes) => Future<Generation, Failure>
): Future<Generation, Failure> => {
  const { conversation, fallbacks } = work
  if (fallbacks === undefined || conversation.serviceTier?.toLowerCase() !== "flex") return tried(routes)
  const [first, ...others] = routes.filter((route) => work.laneAt(route).tier === "flex")
  const { fullFlex } = fallbacks
  if (fullFlex !== undefined) return first === undefined ? Future.fail(fullFlex) : tried([first, ...others])
  return tried(routes).catchAll((failure) => {
    if (failure._tag === "RateLimited" && first !== undefined) fallbacks.fullFlex = failure
    return Future.fail(failure)
  })
}
